/** What LAB_API_CLIS may be; which kinds of lab CLI there are is known to those who run them. */
import * as z from 'zod';

export const labClis = z.string().transform((value, context): readonly [string, ...string[]] => {
  const [first, ...others] = value.split(',').map((entry) => entry.trim());
  const entries = [first ?? '', ...others] as const;
  if (entries.includes('')) {
    context.addIssue(`"${value}" has an empty entry: write names, with commas between them`);
    return z.NEVER;
  }
  for (const entry of new Set(entries)) {
    if (entries.filter((other) => other === entry).length > 1)
      context.addIssue(`"${entry}" is named twice: each lab CLI can be there once`);
    if (entry === 'auto') context.addIssue('"auto" may be any of them: name those that are meant');
  }
  return [...entries];
});

/** The first lab CLI and the others, from `LAB_API_CLI` and `LAB_API_CLIS`. */
export function cliSettings({
  LAB_API_CLI: one,
  LAB_API_CLIS: list,
}: {
  readonly LAB_API_CLI: string;
  readonly LAB_API_CLIS?: readonly [string, ...string[]] | undefined;
}): { readonly cli: string; readonly moreClis: readonly string[] } {
  const [cli, ...moreClis] = list ?? [one];
  return { cli, moreClis };
}

/** Sentences: `one` as it was given, undefined when it was not. */
export function cliProblems(one: string | undefined, list: readonly string[] | undefined): readonly string[] {
  const [first] = list ?? [];
  if (one === undefined || first === undefined || one === first) return [];
  return [
    `LAB_API_CLIS: LAB_API_CLI says "${one}", and the first of the list is "${first}": keep one of the two`,
  ];
}

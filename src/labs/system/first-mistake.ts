/** Schemas for lists and mappings of any length: zod's own collect an issue for each bad element, and there may be millions. */
import * as z from 'zod';

type Checked<T> = z.ZodPipe<z.ZodUnknown, z.ZodTransform<T>>;

/** Whether the value is of the schema; if not, its issues are those of the whole. */
function take<T>(
  element: z.ZodType<T>,
  [key, value]: readonly [string | number, unknown],
  context: z.RefinementCtx,
): { readonly taken: T } | undefined {
  const { success, data, error } = element.safeParse(value);
  if (success) return { taken: data };
  for (const { message, path } of error.issues)
    context.addIssue({ code: 'custom', message, path: [key, ...path] });
  return undefined;
}

/** A list whose check ends at its first bad element. */
export function listOf<T>(element: z.ZodType<T>): Checked<T[]> {
  return z.unknown().transform((value, context) => {
    const taken: T[] = [];
    if (!Array.isArray(value)) context.addIssue('Invalid input: expected array');
    else
      for (const [index, one] of value.entries()) {
        const good = take(element, [index, one], context);
        if (good === undefined) return z.NEVER;
        taken.push(good.taken);
      }
    return taken;
  });
}

/** A mapping whose check ends at its first bad value, by its keys in order. */
export function mappingOf<T>(element: z.ZodType<T>): Checked<ReadonlyMap<string, T>> {
  return z.unknown().transform((value, context) => {
    const taken = new Map<string, T>();
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      context.addIssue('Invalid input: expected record');
    else
      for (const [key, one] of Object.entries(value)) {
        const good = take(element, [key, one], context);
        if (good === undefined) return z.NEVER;
        taken.set(key, good.taken);
      }
    return taken;
  });
}

/** The value as the schema has it. @throws Error with a line for each issue. */
export function understood<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new Error(z.prettifyError(error), { cause: error });
}

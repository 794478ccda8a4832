/** The places that still have the name of a node that was renamed or removed. */
import { isMapping } from '../../../../../src/engine/topology/source.ts';
import type { Path, YamlText } from './yaml-text.ts';

/** Their values are for people, or are words of the language that a node can have as its name. */
const otherKeys = new Set(
  'description message fail pass wait_msg name group labels device kind role type provider module image'.split(
    ' ',
  ),
);

/**
 * A name that is no part of another one or of the path of a file. Containers of containerlab have it behind their lab's, and
 * expressions of netlab behind `nodes`.
 */
function formatOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replaceAll(/\W/g, String.raw`\$&`)).join('|');
  return new RegExp(
    String.raw`(?<![\w./-])(?:(?:clab-[\w.-]+-)?(${any})(?![\w/-]|\.\w)|nodes(?:\.|\[['"])(${any})(?![\w-]))`,
  );
}

interface Left {
  readonly name: string;
  /** The offset in the text. */
  readonly at: number;
}

interface Search {
  readonly yaml: YamlText;
  readonly format: RegExp;
}

/** In a text or a key; none for the values of aliases, which are found where they are written. */
function leftAt(path: Path, isKey: boolean, { yaml, format }: Search): Left[] {
  const place = yaml.at(path);
  const node = place.kind === 'found' ? (isKey ? place.entry?.key : place.value) : undefined;
  if (!node) return [];
  const match = format.exec(yaml.text.slice(node.range[0], node.range[1]));
  return match ? [{ name: match[1] ?? match[2] ?? '', at: node.range[0] + match.index }] : [];
}

function leftIn(value: unknown, path: Path, search: Search): Left[] {
  if (typeof value === 'string') return search.format.test(value) ? leftAt(path, false, search) : [];
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((item, index) => leftIn(item, [...path, index], search));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (otherKeys.has(key)) return [];
    const own = [...path, key];
    const inKey = search.format.test(key) ? leftAt(own, true, search) : [];
    return [...inKey, ...leftIn(inner, own, search)];
  });
}

const linesMax = 5;

/** A sentence about the lines that still have one of the names; undefined if there are none. */
export function leftNames(names: readonly string[], yaml: YamlText): string | undefined {
  if (names.length === 0) return undefined;
  const left = leftIn(yaml.tree, [], { yaml, format: formatOf(names) });
  if (left.length === 0) return undefined;
  const lines = [...new Set(left.map(({ at }) => yaml.text.slice(0, at).split('\n').length))];
  const shown = lines.toSorted((a, b) => a - b).slice(0, linesMax);
  const more = lines.length > linesMax ? ` and ${lines.length - linesMax} more` : '';
  const where =
    lines.length === 1 ? `Line ${shown.join()} still has` : `Lines ${shown.join(', ')}${more} still have`;
  const found = [...new Set(left.map(({ name }) => name))].join(', ');
  return `${where} the name ${found}: change it in the text if it means the node.`;
}

/** Removes items of lists and maps from the text. Comments between the items stay. */
import { isSeq } from 'yaml';
import type { TextChange } from './drawing.ts';
import { keepComments, refuse } from './operation.ts';
import { colonEnd, type Item, type ListNode, type MapNode, type Path, type YamlText } from './yaml-text.ts';

export interface Removed {
  readonly parent: MapNode | ListNode;
  readonly path: Path;
  readonly indexes: ReadonlySet<number>;
}

const deletion = (from: number, to: number): TextChange => ({ from, to, insert: '' });

/** The end of a run of removed items. */
function runEnd(indexes: ReadonlySet<number>, first: number): number {
  let last = first;
  while (indexes.has(last + 1)) last += 1;
  return last;
}

function inBraces(yaml: YamlText, { parent, path, indexes }: Removed): TextChange[] {
  return [...indexes]
    .filter((index) => !indexes.has(index - 1))
    .map((first) => {
      const last = runEnd(indexes, first);
      const isEnd = last + 1 === parent.items.length;
      const from = isEnd ? yaml.endOfItem(parent, first - 1) : yaml.startOf(parent, first);
      const to = isEnd ? yaml.endOfItem(parent, last) : yaml.startOf(parent, last + 1);
      keepComments(yaml.text.slice(from, to), path);
      return deletion(from, to);
    });
}

function lines(yaml: YamlText, start: number, itemEnd: number): TextChange {
  const lineStart = yaml.lineStart(start);
  const end = yaml.lineEnd(itemEnd);
  return end < yaml.text.length ? deletion(lineStart, end + 1) : deletion(Math.max(lineStart - 1, 0), end);
}

/** The first keys behind the dash of a list: the next key takes their place, or its comment does. */
function behindDash(yaml: YamlText, { parent, path, indexes }: Removed): TextChange {
  const last = runEnd(indexes, 0);
  const before = (index: number): string => {
    const start = yaml.startOf(parent, index);
    return yaml.text.slice(yaml.lineStart(start), start);
  };
  const isBehindDash = indexes.has(0) && /^\s*(?:-\s+)+$/.test(before(0));
  if (!isBehindDash || last + 1 >= parent.items.length || before(last + 1).trim() !== '') return refuse(path);
  const [start, end] = [yaml.startOf(parent, 0), yaml.lineEnd(yaml.endOfItem(parent, last))];
  for (let index = 0; index < last; index += 1)
    keepComments(
      yaml.text.slice(yaml.lineEnd(yaml.endOfItem(parent, index)), yaml.startOf(parent, index + 1)),
      path,
    );
  const next = yaml.startOf(parent, last + 1);
  if (!yaml.text.slice(end, next).includes('#')) return deletion(start, next);
  const dash = yaml.text.slice(0, start).trimEnd().length;
  return deletion(dash, end);
}

function inLines(yaml: YamlText, removed: Removed): TextChange[] {
  const { parent, indexes } = removed;
  const isWhole = (index: number): boolean => {
    const start = yaml.startOf(parent, index);
    return yaml.text.slice(yaml.lineStart(start), start).trim() === '';
  };
  const cut = new Set(indexes);
  const changes: TextChange[] = [];
  if ([...indexes].some((index) => !isWhole(index))) {
    changes.push(behindDash(yaml, removed));
    for (let index = 0; index <= runEnd(indexes, 0); index += 1) cut.delete(index);
  }
  const whole = [...cut].map((index) =>
    lines(yaml, yaml.startOf(parent, index), yaml.endOfItem(parent, index)),
  );
  return [...changes, ...whole];
}

/** Removes some items, or all those of the value of an entry, which becomes an empty list or map. */
export function removal(yaml: YamlText, removed: Removed, owner: Item | undefined): TextChange[] {
  const { parent, indexes } = removed;
  if (parent.flow === true) return inBraces(yaml, removed);
  const changes = inLines(yaml, removed);
  if (owner?.entry === undefined || indexes.size < parent.items.length) return changes;
  const at = colonEnd(owner.entry);
  return [{ from: at, to: at, insert: isSeq(parent) ? ' []' : ' {}' }, ...changes];
}

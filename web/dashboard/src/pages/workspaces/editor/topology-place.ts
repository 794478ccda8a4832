/** Finds the place of a text position in a topology by lines and columns, so that it works while the text is not valid YAML. */

export interface Place {
  /** The keys above, from the outermost; `[]` is an entry of a list. */
  readonly path: readonly string[];
  /** Whether it is a key, the value of the last key of the path, or an entry of a list, which may be either. */
  readonly kind: 'key' | 'value' | 'item';
  /** The beginning of the word in the text. */
  readonly from: number;
  readonly word: string;
}

interface Level {
  readonly indent: number;
  readonly key: string;
}

const entry = '[]';
/** In time that grows with the length of a line, and not with its square: so does all that reads a line here. */
const keyFormat = /^(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s#:{}[\],"'][^:{}[\],#]*)):(?=\s|$)/;
const separator = /[\s,:{}[\]"'#]/;

/** A key with dots stands for several keys: `defaults.device`. */
const partsOf = (key: string): string[] => key.split('.').filter((part) => part !== '');

interface Line {
  /** The rest of the line, and its column. */
  rest: string;
  column: number;
}

function takeSpaces(line: Line): void {
  const spaces = /^ */.exec(line.rest)?.[0].length ?? 0;
  line.column += spaces;
  line.rest = line.rest.slice(spaces);
}

/** The levels that a text opens, line by line. */
class Levels {
  levels: Level[] = [];
  #scalarIndent: number | undefined;

  get path(): string[] {
    return this.levels.map(({ key }) => key);
  }

  closeUntil(column: number, isList: boolean): void {
    const isOver = ({ indent, key }: Level): boolean =>
      indent > column || (indent === column && (!isList || key === entry));
    for (let last = this.levels.at(-1); last && isOver(last); last = this.levels.at(-1)) this.levels.pop();
  }

  /** Reads the dashes and the key of a line; `key` is undefined without a key. */
  take(text: string): Line & { readonly key: string | undefined } {
    const line: Line = { rest: text, column: 0 };
    takeSpaces(line);
    while (/^-(?:\s|$)/.test(line.rest)) {
      this.closeUntil(line.column, true);
      this.levels.push({ indent: line.column, key: entry });
      line.rest = line.rest.slice(1);
      line.column += 1;
      takeSpaces(line);
    }
    const [whole = '', ...keys] = keyFormat.exec(line.rest) ?? [];
    const key = keys.find((found) => found !== undefined)?.trimEnd();
    if (key === undefined) return { ...line, key };
    this.closeUntil(line.column, false);
    for (const part of partsOf(key)) this.levels.push({ indent: line.column, key: part });
    line.rest = line.rest.slice(whole.length);
    line.column += whole.length;
    return { ...line, key };
  }

  /** Reads a whole line; the lines of a block scalar (`|`, `>`) are skipped. */
  see(text: string): void {
    if (/^\s*(?:#|$)/.test(text)) return;
    const indent = /^ */.exec(text)?.[0].length ?? 0;
    if (this.#scalarIndent !== undefined && indent > this.#scalarIndent) return;
    this.#scalarIndent = undefined;
    const { rest } = this.take(text);
    if (/^\s*[|>][-+\d]*\s*(?:#.*)?$/.test(rest)) this.#scalarIndent = indent;
  }

  get isText(): boolean {
    return this.#scalarIndent !== undefined;
  }
}

interface Frame {
  readonly isList: boolean;
  key: string | undefined;
  /** The beginning of the current entry. */
  start: number;
}

/** The maps and lists that are open at the end of a value such as `{ device: frr, module: [ os`. */
function openFrames(text: string): Frame[] {
  const frames: Frame[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '{' || sign === '[')
      frames.push({ isList: sign === '[', key: undefined, start: at + 1 });
    else if (sign === '}' || sign === ']') frames.pop();
    else {
      const frame = frames.at(-1);
      if (frame && sign === ',') Object.assign(frame, { key: undefined, start: at + 1 });
      else if (frame && sign === ':' && frame.key === undefined && /^(?:\s|$)/.test(text.slice(at + 1)))
        Object.assign(frame, { key: text.slice(frame.start, at).trim(), start: at + 1 });
    }
  }
  return frames;
}

function inFlow(frames: readonly Frame[]): Pick<Place, 'path' | 'kind'> {
  const path = frames.flatMap(({ isList, key }) => (isList ? [entry] : partsOf(key ?? '')));
  const last = frames.at(-1);
  if (last?.isList === true)
    return { path: last.key === undefined ? path : [...path, last.key], kind: 'item' };
  return { path, kind: last?.key === undefined ? 'key' : 'value' };
}

/** The word at the end of a text. Single dashes are part of it. */
function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !separator.test(text.charAt(start - 1))) start -= 1;
  return text.slice(Math.max(start, text.lastIndexOf('--') + 1));
}

const lineStartOf = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** Whether `offset` is in a comment. An apostrophe in a word counts as the beginning of a quotation. */
export function isInComment(text: string, offset: number): boolean {
  let quote = '';
  for (let at = lineStartOf(text, offset); at < offset; at += 1) {
    const sign = text.charAt(at);
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '#' && /^\s?$/.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/** The place directly before `offset`. */
export function placeAt(text: string, offset: number): Place {
  const lineStart = lineStartOf(text, offset);
  const levels = new Levels();
  for (const line of text.slice(0, lineStart).split(/\r?\n/).slice(0, -1)) levels.see(line);
  const before = text.slice(lineStart, offset);
  const word = lastWord(before);
  const at = { from: offset - word.length, word };
  if (levels.isText && /^\s+\S/.test(before)) return { ...at, path: levels.path, kind: 'value' };
  const { rest, column, key } = levels.take(before);
  const frames = openFrames(rest);
  if (key === undefined && frames.length === 0) {
    const isEntry = levels.levels.at(-1)?.key === entry && /^\s*-/.test(before);
    levels.closeUntil(column, false);
    return { ...at, path: levels.path, kind: isEntry ? 'item' : 'key' };
  }
  const { path, kind } = frames.length > 0 ? inFlow(frames) : { path: [], kind: 'value' as const };
  return { ...at, path: [...levels.path, ...path], kind };
}

/** The path of the key at `offset`; undefined when there is no key. */
export function keyPathAt(text: string, offset: number): readonly string[] | undefined {
  const word = /^[\w.-]*/.exec(text.slice(offset))?.[0] ?? '';
  const end = offset + word.length;
  if (!/^["']?\s*:(?:\s|$)/.test(text.slice(end))) return undefined;
  const place = placeAt(text, end);
  return place.kind === 'value' ? undefined : [...place.path, ...partsOf(place.word)];
}

/** The keys below this path, on lines of their own. */
export function keysBelow(text: string, path: readonly string[]): readonly string[] {
  const levels = new Levels();
  const found = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    levels.see(line);
    const key = levels.path[path.length];
    if (key !== undefined && key !== entry && path.every((one, index) => one === levels.path[index]))
      found.add(key);
  }
  return [...found];
}

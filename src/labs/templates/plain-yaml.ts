/**
 * The part of YAML that most topologies are written in: maps and lists of words, numbers and texts, each on its line, in
 * brackets on one line, or a text below `|`. The parser of all YAML takes several times as long for it, and reads whatever
 * is not this. Both say the same of a text: where there could be a doubt (tabs, tags, anchors, escapes, words over several
 * lines, numbers of other forms, mistakes, …), it is not read here. The depth of the text was looked at before.
 */

/** There is more in the text than is read here. */
const beyond = Symbol('beyond');

type Values = Record<string, unknown>;

interface Line {
  readonly indent: number;
  readonly text: string;
  /** Which of all lines it is. */
  readonly number: number;
}

const others = /[^\n -~]/;
const nothing = /^(?:#.*)?$/;
const entry = /^(\w[\w./-]{0,99}):(?: +(.*))?$/;
const item = /^-( +)(.*)$/;
/** Characters: of longer words and texts, a regular expression would take much memory. */
const longest = 1_000;
/** Up to the end of a line. Neither has a choice of where to go on, so that the time grows with the length. */
const plain = /^((?:\.\.\/){0,9}(?:[\w/]|:(?! |$))(?:[^ :#]|:(?! |$)|(?<! )#| +(?=[^ #]))*) *(?: #.*)?$/;
const quoted = /^(?:"([^"\\]*)"|'([^']*)') *(?: #.*)?$/;
const rest = / *(?: #.*)?$/y;
const flowToken =
  / *(?:([[\]{},])|((?:\.\.\/){0,9}[\w/](?:[\w./-]|:(?=\w)){0,99})(: )?|"([^"\\]{0,99})"(?=[ ,\]}])|'([^']{0,99})'(?=[ ,\]}]))/y;

const named = new Map<string, unknown>(
  [['null', null] as const, ['true', true] as const, ['false', false] as const].flatMap(([word, value]) => {
    const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    return [word, capital, word.toUpperCase()].map((form) => [form, value] as const);
  }),
);

/** What a word without quotes stands for. */
function scalarOf(word: string): unknown {
  if (named.has(word)) return named.get(word);
  if (/^\D/.test(word)) return word;
  if (/^(?:0|[1-9]\d{0,14})$/.test(word) || /^\d{1,7}\.\d{1,7}$/.test(word)) return Number(word);
  // No number, of any base, has such a character, or two dots.
  return /[^\da-f_xo.+-]/i.test(word) || /^\d+(?:\.\d+){2,}$/.test(word) ? word : beyond;
}

/** Whether it is a key here as it is: neither a value of another type, nor what an object has of its own. */
function isKey(word: string): boolean {
  if (named.has(word) || word in Object.prototype || word.length > 100) return false;
  return /^(?:[A-Za-z_]|(?:0|[1-9]\d{0,14})$)/.test(word);
}

interface Token {
  /** A bracket or a comma; empty for a value. */
  readonly mark: string;
  readonly value: unknown;
  /** The word before a colon. */
  readonly key: string | undefined;
}

/** Lists and maps in brackets. */
class Flow {
  readonly #text: string;
  #at = 0;
  #token: Token = { mark: 'end', value: beyond, key: undefined };

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    this.#next();
    const value = this.#value();
    rest.lastIndex = this.#at;
    return rest.test(this.#text) ? value : beyond;
  }

  #next(): void {
    flowToken.lastIndex = this.#at;
    const [, mark, word, colon, double, single] = flowToken.exec(this.#text) ?? ['', 'end'];
    this.#at = flowToken.lastIndex;
    const key = colon === undefined ? undefined : word;
    this.#token = { mark: mark ?? '', value: double ?? single ?? scalarOf(word ?? ''), key };
  }

  /** The token is its first, and its last afterwards. */
  #value(): unknown {
    const { mark, value, key } = this.#token;
    if (mark === '[') return this.#list();
    if (mark === '{') return this.#map();
    return mark === '' && key === undefined ? value : beyond;
  }

  #list(): unknown {
    const list: unknown[] = [];
    this.#next();
    if (this.#token.mark === ']') return list;
    for (;;) {
      const value = this.#value();
      if (value === beyond) return beyond;
      list.push(value);
      this.#next();
      if (this.#token.mark === ']') return list;
      if (this.#token.mark !== ',') return beyond;
      this.#next();
    }
  }

  #map(): unknown {
    const map: Values = {};
    this.#next();
    if (this.#token.mark === '}') return map;
    for (;;) {
      const { key } = this.#token;
      if (key === undefined || !isKey(key)) return beyond;
      this.#next();
      const value = this.#value();
      if (value === beyond) return beyond;
      map[key] = value;
      this.#next();
      if (this.#token.mark === '}') return map;
      if (this.#token.mark !== ',') return beyond;
      this.#next();
    }
  }
}

/** What stands on the line of its key. */
function inline(text: string): unknown {
  if (/^[[{]/.test(text)) return new Flow(text).read();
  if (text.length > longest) return beyond;
  const [, word] = plain.exec(text) ?? [];
  if (word !== undefined) return scalarOf(word);
  const [, double, single] = quoted.exec(text) ?? [];
  return double ?? single ?? beyond;
}

/** Those that are neither empty nor a comment, without the mark of a beginning. */
function linesOf(all: readonly string[]): Line[] {
  const lines: Line[] = [];
  for (const [number, whole] of all.entries()) {
    const text = whole.trimStart();
    if (!nothing.test(text)) lines.push({ indent: whole.length - text.length, text, number });
  }
  return lines[0]?.text === '---' && lines[0].indent === 0 ? lines.slice(1) : lines;
}

/** Maps and lists over several lines. */
class Blocks {
  readonly #all: readonly string[];
  readonly #lines: Line[];
  #at = 0;

  constructor(text: string) {
    this.#all = text.split('\n');
    this.#lines = linesOf(this.#all);
  }

  read(): unknown {
    const value = this.#lines.length === 0 ? beyond : this.#map(0);
    return this.#at === this.#lines.length ? value : beyond;
  }

  /** Of the line that is next; -1 at the end. */
  get #indent(): number {
    return this.#lines[this.#at]?.indent ?? -1;
  }

  get #text(): string {
    return this.#lines[this.#at]?.text ?? '';
  }

  #map(indent: number): unknown {
    const map: Values = {};
    while (this.#indent === indent) {
      const [, key, own] = entry.exec(this.#text) ?? [];
      // What is not the end of a list at the same level is a mistake.
      if (key === undefined || !isKey(key)) return beyond;
      this.#at += 1;
      const value = this.#valueOf(own ?? '', indent);
      if (value === beyond) return beyond;
      map[key] = value;
    }
    return this.#indent > indent ? beyond : map;
  }

  #valueOf(own: string, indent: number): unknown {
    if (own === '|') return this.#literal(indent);
    return nothing.test(own) ? this.#below(indent) : inline(own);
  }

  /** The lines below a key with `|`: as they are, but for their indentation and the empty ones at the end. */
  #literal(above: number): unknown {
    const start = (this.#lines[this.#at - 1]?.number ?? 0) + 1;
    const indent = this.#all[start]?.search(/[^ ]/) ?? -1;
    if (indent <= above) return beyond;
    let end = start;
    for (; end < this.#all.length; end += 1) {
      const line = this.#all[end] ?? '';
      const own = line.search(/[^ ]/);
      // Where there are spaces and nothing else, it depends on how many.
      if (own === -1 ? line !== '' : own < indent && own > above) return beyond;
      if (own !== -1 && own < indent) break;
    }
    while ((this.#lines[this.#at]?.number ?? end) < end) this.#at += 1;
    while (this.#all[end - 1] === '') end -= 1;
    const lines = this.#all.slice(start, end).map((line) => line.slice(indent));
    return `${lines.join('\n')}\n`;
  }

  /** What follows a key that stands alone. A list may be as far to the left as its key. */
  #below(indent: number): unknown {
    const isList = item.test(this.#text);
    if (this.#indent === indent && isList) return this.#list(indent);
    if (this.#indent <= indent) return null;
    if (/^[[{]/.test(this.#text)) {
      this.#at += 1;
      return inline(this.#lines[this.#at - 1]?.text ?? '');
    }
    return isList ? this.#list(this.#indent) : this.#map(this.#indent);
  }

  #list(indent: number): unknown {
    const list: unknown[] = [];
    for (;;) {
      const [, space, own] = (this.#indent === indent ? item.exec(this.#text) : undefined) ?? [];
      if (space === undefined || own === undefined) return this.#indent > indent ? beyond : list;
      const value = this.#item(indent + 1 + space.length, own);
      if (value === beyond) return beyond;
      list.push(value);
    }
  }

  #item(indent: number, text: string): unknown {
    if (entry.test(text)) {
      // A map whose first entry stands beside the dash.
      this.#lines[this.#at] = { indent, text, number: this.#lines[this.#at]?.number ?? 0 };
      return this.#map(indent);
    }
    this.#at += 1;
    return inline(text);
  }
}

/** The value of a text that is a map; undefined for the parser to say. */
export function plainYaml(text: string): Values | undefined {
  const value = others.test(text) ? beyond : new Blocks(text).read();
  return value === beyond ? undefined : (value as Values);
}

/** Stands for a value in which Compose puts that of another variable: what comes out depends on where it is called. */
export const interpolated = Symbol('interpolated');

export type ComposeReading =
  | { readonly kind: 'read'; readonly values: ReadonlyMap<string, string | typeof interpolated> }
  /** It starts nothing then. */
  | { readonly kind: 'refused'; readonly line: number };

type Value = string | typeof interpolated | undefined;

const nothingToRead = /(?:\s|#[^\n]*)*/y;
/** A value may follow a colon as well; a name alone stands for the value that the variable has already. */
const nameAndSign = /(?:export\s+)?(?<name>[\p{L}\p{N}_.\-[\] \t\r\v\f]*)(?<sign>[=:\n]|$)[ \t\r\v\f]*/uy;
const singleQuoted = /'(?<text>(?:\\[^]|[^'\\])*)'/y;
const doubleQuoted = /"(?<text>(?:\\[^]|[^"\\])*)"/y;
const bare = /(?!['"])(?<text>[^\n]*)/y;

const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  $: '$$',
};

/** As in Go, but for octal numbers, which begin with \0. Any other backslash is one. */
function unescapeDouble(text: string): string {
  return text.replace(/\\(?:([abfnrtv$"\\])|0([0-3][0-7]{2}))/g, (_pair, letter?: string, octal?: string) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(octal ?? '', 8)) : (letters[letter] ?? letter),
  );
}

/** `$$` is a dollar sign. One before anything but a name or a brace is one too. */
function interpolate(text: string): string | typeof interpolated {
  const isInterpolated = /\$[A-Za-z_{]/.test(text.replaceAll('$$', ''));
  return isInterpolated ? interpolated : text.replaceAll('$$', '$');
}

/** Reads what stands at `lastIndex` of the expressions, and moves that on. Undefined when a quote is not closed. */
function readValue(text: string, at: number): { readonly value: Value; readonly end: number } {
  for (const expression of [singleQuoted, doubleQuoted, bare]) expression.lastIndex = at;
  const single = singleQuoted.exec(text)?.groups?.['text'];
  if (single !== undefined) return { value: single.replaceAll("\\'", "'"), end: singleQuoted.lastIndex };
  const double = doubleQuoted.exec(text)?.groups?.['text'];
  if (double !== undefined)
    return { value: interpolate(unescapeDouble(double)), end: doubleQuoted.lastIndex };
  const line = bare.exec(text)?.groups?.['text'];
  const value = line?.split(' #', 1)[0]?.trimEnd();
  return { value: value === undefined ? undefined : interpolate(value), end: bare.lastIndex };
}

/** The variables of an `env_file` or a `.env`, as Compose from version 2 on reads it (compose-go, package dotenv). */
export function readAsCompose(content: string): ComposeReading {
  const text = content.replace(/^\uFEFF/, '');
  const values = new Map<string, string | typeof interpolated>();
  const refused = (at: number): ComposeReading => ({
    kind: 'refused',
    line: text.slice(0, at).split('\n').length,
  });
  let at = 0;
  for (;;) {
    nothingToRead.lastIndex = at;
    nothingToRead.exec(text);
    at = nothingToRead.lastIndex;
    if (at >= text.length) return { kind: 'read', values };
    nameAndSign.lastIndex = at;
    const { name = '', sign } = nameAndSign.exec(text)?.groups ?? {};
    if (sign === undefined || name.trimEnd().includes(' ')) return refused(at);
    const start = nameAndSign.lastIndex;
    const isAssigned = sign === '=' || sign === ':';
    const { value, end } = isAssigned ? readValue(text, start) : { value: undefined, end: start };
    if (isAssigned && value === undefined) return refused(at);
    if (value !== undefined) values.set(name.trimEnd(), value);
    at = end;
  }
}

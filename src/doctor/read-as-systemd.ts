/** Spaces, then a quoted part; an open quote extends to the end of the file. */
const quotedPart = /[ \t]*(?:'(?<single>[^']*)(?:'|$)|"(?<double>(?:\\[^]|[^"\\])*)(?:"|\\?$))/y;
/** The rest of the value: to the end of the line, unless a backslash stands before that. */
const bareRest = /[ \t]*(?<bare>(?:\\[^]|[^\\\n])*)\\?/y;
/** The text before a value: a comment, an empty line, a line without "=", or a name. */
const beforeValue = /[ \t\n]*(?:[#;](?:\\[^]|[^\\\n])*|(?<name>[^=\n]*)=|[^=\n]*)/y;

/** Within double quotes, a backslash is one unless it stands before one of these. */
function unescapeDouble(text: string): string {
  return text.replace(/\\([^])/g, (pair, next: string) => {
    if (next === '\n') return '';
    return '"\\`$'.includes(next) ? next : pair;
  });
}

/** Without quotes, a backslash takes the meaning from whatever follows it. Spaces at the end do not count. */
function unescapeBare(text: string): string {
  return text.replace(/\\([^])|[ \t]+$/g, (_match, next = '') => (next === '\n' ? '' : (next as string)));
}

/** The expression's match exactly at `at`. */
function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function readValue(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  let at = start;
  for (let part = matchAt(quotedPart, text, at); part !== null; part = matchAt(quotedPart, text, at)) {
    value += part.groups?.['single'] ?? unescapeDouble(part.groups?.['double'] ?? '');
    at = quotedPart.lastIndex;
  }
  const rest = matchAt(bareRest, text, at)?.groups?.['bare'] ?? '';
  return { value: value + unescapeBare(rest), end: bareRest.lastIndex };
}

/**
 * The variables of an `EnvironmentFile=` (systemd.exec(5)), as systemd 252 reads it: a backslash at the end of a comment
 * hides the next line, which it does not from version 254 on.
 */
export function readAsSystemd(content: string): Map<string, string> {
  const text = content.replace(/\r/g, '\n');
  const values = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const name = matchAt(beforeValue, text, at)?.groups?.['name'];
    at = Math.max(beforeValue.lastIndex, at + 1);
    if (name === undefined) continue;
    const { value, end } = readValue(text, at);
    at = end;
    // Any other name is left out, with a line in the journal.
    const [variable] = /^[A-Za-z_]\w*(?=[ \t]*$)/.exec(name) ?? [];
    if (variable !== undefined) values.set(variable, value);
  }
  return values;
}

/** Splits a command line as a shell does, without the features of a shell: no variables, patterns or pipes. */

export type Words =
  | { readonly words: readonly string[] }
  /** A sentence for the user. */
  | { readonly problem: string };

/** Shell operators. Here they are plain words, and would confuse the program. */
const operators = new Set(['|', '||', '&', '&&', ';', '>', '>>', '<', '2>', '2>&1']);

interface Piece {
  readonly text: string;
  /** The position after the piece. */
  readonly next: number;
}

/** The text between quotes that begin at `at`; undefined when they are not closed. */
function quoted(line: string, at: number): Piece | undefined {
  const quote = line[at];
  let text = '';
  for (let index = at + 1; index < line.length; index += 1) {
    const character = line[index] ?? '';
    const following = line[index + 1] ?? '';
    if (character === quote) return { text, next: index + 1 };
    // In double quotes, a backslash only escapes these (POSIX shell, section 2.2.3).
    if (quote === '"' && character === '\\' && '"\\$`'.includes(following) && following !== '') {
      text += following;
      index += 1;
    } else text += character;
  }
  return undefined;
}

/** The words of a line: quotes join words, a backslash escapes the next character. */
export function wordsOf(line: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const character = line[at] ?? '';
    if (character === '"' || character === "'") {
      const piece = quoted(line, at);
      if (piece === undefined) return { problem: `The quote ${character} is not closed.` };
      word = (word ?? '') + piece.text;
      at = piece.next;
    } else if (character === '\\') {
      if (at + 1 >= line.length) return { problem: 'A backslash at the end escapes nothing.' };
      word = (word ?? '') + (line[at + 1] ?? '');
      at += 2;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else {
      word = (word ?? '') + character;
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? { problem: 'There is no command.' } : { words };
}

/** Whether a line contains shell syntax. */
export function wantsShell(line: string): boolean {
  const found = wordsOf(line);
  return 'words' in found && found.words.some((word) => operators.has(word) || /^\$|\$\(|;$/.test(word));
}

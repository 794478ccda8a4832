/**
 * Deeper texts are refused before they reach a YAML parser. The parser recurses: some thousand levels exhaust the stack, and V8
 * then ends the whole process when a regular expression happens to be compiled at that moment ("RegExpCompiler
 * Allocation failed"), which no `catch` sees.
 */
const depthMax = 100;

/** Larger texts are left to the lab CLI: parsing a mebibyte would block the event loop for more than a second. */
export const maxParsedLength = 128 * 1024;

export interface TooDeep {
  readonly offset: number;
  readonly message: string;
}

const [newline, space, tab] = [10, 32, 9];
// The characters [{, ]} and -?: by their codes.
const openers = new Set([91, 123]);
const closers = new Set([93, 125]);
const comma = 44;
const indicators = new Set([45, 63, 58]);

function isWhite(code: number): boolean {
  return code === space || code === newline || code === tab;
}

/** Levels that brackets, indentation and `- - -` or `a: b: c:` open; an upper bound, as text in quotes counts too. */
class Depth {
  #brackets = 0;
  #indent = 0;
  #inLine = 0;
  #isIndent = true;

  /** One character, as a number, and the one after it; false when it goes too deep. */
  see(code: number, next: number): boolean {
    if (code === newline) {
      this.#indent = 0;
      this.#inLine = 0;
      this.#isIndent = true;
    } else if (code === space) {
      if (this.#isIndent) this.#indent += 1;
    } else {
      this.#isIndent = false;
      if (indicators.has(code)) this.#inLine += isWhite(next) ? 1 : 0;
      else if (openers.has(code) || closers.has(code) || code === comma) this.#seeBracket(code);
    }
    return this.#brackets <= depthMax && this.#indent <= depthMax && this.#inLine <= depthMax;
  }

  #seeBracket(code: number): void {
    this.#inLine = 0;
    if (openers.has(code)) this.#brackets += 1;
    if (closers.has(code)) this.#brackets = Math.max(0, this.#brackets - 1);
  }
}

/** A line that is indented too far, or has room for so many indicators, each with a space after it. */
const mayBeDeepLine = new RegExp(`^(?: {${depthMax + 1}}|[^\\n]{${2 * depthMax}})`, 'm');

const hasManyBrackets = new RegExp(`(?:[[{][^[{]*){${depthMax + 1}}`);

/** At a glance, which most texts need no more than. */
function isShallow(text: string): boolean {
  return !mayBeDeepLine.test(text) && !hasManyBrackets.test(text);
}

/** Where a YAML text nests deeper than any topology does; undefined when it does not. */
export function findTooDeep(text: string): TooDeep | undefined {
  if (isShallow(text)) return undefined;
  const depth = new Depth();
  for (let offset = 0; offset < text.length; offset += 1) {
    if (depth.see(text.charCodeAt(offset), text.charCodeAt(offset + 1))) continue;
    return { offset, message: `more than ${depthMax} levels of nesting` };
  }
  return undefined;
}

/**
 * Deeper texts are refused before they reach a YAML parser. The parser recurses: some hundred levels exhaust the stack, and V8
 * then ends the whole process when a regular expression happens to be compiled at that moment ("RegExpCompiler
 * Allocation failed"), which no `catch` sees.
 */
const depthMax = 100;

/** Larger texts are left to the lab CLI: parsing a mebibyte would block the event loop for more than a second. */
export const maxParsedLength = 128 * 1024;

/** The lexer of the package `yaml`. It does not recurse, and it alone knows which brackets are in quotes or comments. */
export interface YamlLexer {
  readonly Lexer: new () => { lex(text: string): Iterable<string> };
  readonly CST: { tokenType(lexeme: string): string | null };
}

const message = `more than ${depthMax} levels of nesting`;

export interface TooDeep {
  readonly offset: number;
  readonly message: string;
}

/** Lexemes that stand for no characters. */
const marks = new Set(['doc-mode', 'flow-error-end', 'scalar']);
const opens = new Set(['flow-map-start', 'flow-seq-start']);
const closes = new Set(['flow-map-end', 'flow-seq-end']);
const indicators = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/** Levels that brackets, indentation and `- - -` or `a: b: c:` open: each an upper bound. */
class Depth {
  #brackets = 0;
  #indent = 0;
  #inLine = 0;
  #isAtStart = true;

  /** The next piece of the text, as the lexer cuts it; false when it goes too deep. */
  see(lexeme: string, type: string): boolean {
    if (this.#isAtStart) {
      this.#indent = type === 'space' ? lexeme.length : 0;
      this.#inLine = 0;
    }
    this.#isAtStart = lexeme.endsWith('\n');
    if (indicators.has(type)) this.#inLine += 1;
    else if (type === 'comma' || type.startsWith('flow')) this.#seeBracket(type);
    return this.#brackets <= depthMax && this.#indent <= depthMax && this.#inLine <= depthMax;
  }

  #seeBracket(type: string): void {
    this.#inLine = 0;
    if (opens.has(type)) this.#brackets += 1;
    if (closes.has(type)) this.#brackets = Math.max(0, this.#brackets - 1);
    // The lexer leaves all brackets at a line that is not indented enough.
    if (type === 'flow-error-end') this.#brackets = 0;
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
export function findTooDeep(text: string, { Lexer, CST }: YamlLexer): TooDeep | undefined {
  if (isShallow(text)) return undefined;
  const depth = new Depth();
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme) ?? '';
    if (!depth.see(lexeme, type)) return { offset, message };
    if (!marks.has(type)) offset += lexeme.length;
  }
  return undefined;
}

/** The same for a value from JSON, which a writer of YAML would recurse through. */
export function findTooDeepValue(value: object): Pick<TooDeep, 'message'> | undefined {
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > depthMax) return { message };
    level = level
      .flatMap((one): unknown[] => Object.values(one))
      .filter((one): one is object => typeof one === 'object' && one !== null);
  }
  return undefined;
}

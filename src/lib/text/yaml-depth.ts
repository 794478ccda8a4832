/**
 * Deeper texts are refused before the package `yaml` makes nodes of them. It recurses for these: some hundred levels exhaust the
 * stack, and V8 then ends the whole process when a regular expression happens to be compiled at that moment
 * ("RegExpCompiler Allocation failed"), which no `catch` sees. A thread is no protection.
 */
const depthMax = 100;

/** Larger texts are left to the lab CLI: parsing a mebibyte would block the event loop for more than a second. */
export const maxParsedLength = 128 * 1024;

const message = `more than ${depthMax} levels of nesting`;

export interface TooDeep {
  readonly offset: number;
  readonly message: string;
}

/** The part of the package `yaml` that makes a tree of tokens. It has a stack instead of recursion. */
export interface YamlParser {
  readonly Lexer: new () => { lex(text: string): Iterable<string> };
  readonly Parser: new () => {
    readonly stack: readonly unknown[];
    readonly offset: number;
    next(lexeme: string): Iterable<unknown>;
  };
}

/** Each level begins with one of these. */
const openers = /[-?:[{]/g;

/** Most texts are too short to be deep. */
function isShallow(text: string): boolean {
  return (text.match(openers)?.length ?? 0) <= depthMax;
}

/** Where a YAML text nests deeper than any topology does; undefined when it does not. */
export function findTooDeep(text: string, { Lexer, Parser }: YamlParser): TooDeep | undefined {
  if (isShallow(text)) return undefined;
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    Array.from(parser.next(lexeme));
    // The document and the present word are on the stack, too.
    if (parser.stack.length - 2 > depthMax) return { offset, message };
  }
  return undefined;
}

/** The same for a value from JSON, which the package would recurse through to write it. */
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

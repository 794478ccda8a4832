/**
 * `valid` of a test: a condition on the output of a command. netlab evaluates it in Python. The engine only
 * understands comparisons such as `'text' in stdout` and `'text' not in stdout`, joined by `and`, `or`, `not` and
 * parentheses.
 */
const token = /\s*(?:(and|or|not|in|stdout)\b|'([^'\\]*)'|"([^"\\]*)"|([()]))/y;

type Token = { readonly word: string } | { readonly text: string };

function tokensOf(source: string): readonly Token[] | undefined {
  const found: Token[] = [];
  const trimmed = source.trim();
  token.lastIndex = 0;
  while (token.lastIndex < trimmed.length) {
    const [whole, word, single, double, sign] = token.exec(trimmed) ?? [];
    if (whole === undefined) return undefined;
    const name = word ?? sign;
    found.push(name === undefined ? { text: single ?? double ?? '' } : { word: name });
  }
  return found;
}

/** Parses from the left with the precedence of Python: `not` before `and` before `or`. Undefined on a syntax error. */
class Condition {
  readonly #tokens: readonly Token[];
  readonly #printed: string;
  #at = 0;

  constructor(tokens: readonly Token[], printed: string) {
    this.#tokens = tokens;
    this.#printed = printed;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  #take(word: string): boolean {
    const next = this.#tokens[this.#at];
    const isIt = next !== undefined && 'word' in next && next.word === word;
    if (isIt) this.#at += 1;
    return isIt;
  }

  either(): boolean | undefined {
    let value = this.#both();
    while (value !== undefined && this.#take('or')) {
      const other = this.#both();
      value = other === undefined ? undefined : value || other;
    }
    return value;
  }

  #both(): boolean | undefined {
    let value = this.#opposite();
    while (value !== undefined && this.#take('and')) {
      const other = this.#opposite();
      value = other === undefined ? undefined : value && other;
    }
    return value;
  }

  #opposite(): boolean | undefined {
    if (!this.#take('not')) return this.#single();
    const value = this.#opposite();
    return value === undefined ? undefined : !value;
  }

  #single(): boolean | undefined {
    if (this.#take('(')) {
      const value = this.either();
      return this.#take(')') ? value : undefined;
    }
    const next = this.#tokens[this.#at];
    if (next === undefined || !('text' in next)) return undefined;
    this.#at += 1;
    const isNegative = this.#take('not');
    if (!this.#take('in') || !this.#take('stdout')) return undefined;
    return this.#printed.includes(next.text) !== isNegative;
  }
}

/** Undefined if the condition does not have this form. */
export function meetsCondition(condition: string, printed: string): boolean | undefined {
  const tokens = tokensOf(condition);
  if (tokens === undefined) return undefined;
  const reader = new Condition(tokens, printed);
  const value = reader.either();
  return reader.isAtEnd ? value : undefined;
}

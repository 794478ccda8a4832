/**
 * The call in `plugin` of a test: `ping('h2', src=nodes.h1.loopback.ipv4)`. netlab evaluates it in Python
 * (netsim/cli/validate/plugin.py); the engine parses this form only and evaluates nothing.
 */

/** `path`: a place in the lab, such as nodes, h1, interfaces, 0, ipv4. */
export type CallValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'path'; readonly path: readonly (string | number)[] };

export interface PluginCall {
  readonly name: string;
  readonly positional: readonly CallValue[];
  readonly named: ReadonlyMap<string, CallValue>;
}

const token = /\s*(?:([A-Za-z_]\w*)|(\d+)|'([^'\\]*)'|"([^"\\]*)"|([(),=.[\]]))/y;

type Token =
  | { readonly kind: 'word' | 'text' | 'sign'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string };

function tokensOf(text: string): readonly Token[] | undefined {
  const found: Token[] = [];
  token.lastIndex = 0;
  const source = text.trim();
  while (token.lastIndex < source.length) {
    const [whole, word, number, single, double, sign] = token.exec(source) ?? [];
    if (whole === undefined) return undefined;
    if (word !== undefined) found.push({ kind: 'word', text: word });
    else if (number !== undefined) found.push({ kind: 'number', text: number });
    else if (sign !== undefined) found.push({ kind: 'sign', text: sign });
    else found.push({ kind: 'text', text: single ?? double ?? '' });
  }
  return found;
}

/** Parses tokens from the left; every method returns undefined on a syntax error. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  #take(kind: Token['kind'], text?: string): string | undefined {
    const next = this.#tokens[this.#at];
    if (next?.kind !== kind || (text !== undefined && next.text !== text)) return undefined;
    this.#at += 1;
    return next.text;
  }

  call(): PluginCall | undefined {
    const name = this.#take('word');
    if (name === undefined || this.#take('sign', '(') === undefined) return undefined;
    const positional: CallValue[] = [];
    const named = new Map<string, CallValue>();
    while (this.#take('sign', ')') === undefined) {
      const key = this.#key();
      const value = this.#value();
      if (value === undefined || (key === undefined && named.size > 0)) return undefined;
      if (key === undefined) positional.push(value);
      else named.set(key, value);
      const isLast = this.#tokens[this.#at]?.text === ')';
      if (!isLast && this.#take('sign', ',') === undefined) return undefined;
    }
    return this.#at === this.#tokens.length ? { name, positional, named } : undefined;
  }

  #key(): string | undefined {
    const [word, sign] = this.#tokens.slice(this.#at, this.#at + 2);
    if (word?.kind !== 'word' || sign?.text !== '=') return undefined;
    this.#at += 2;
    return word.text;
  }

  #value(): CallValue | undefined {
    const text = this.#take('text');
    if (text !== undefined) return { kind: 'text', text };
    const number = this.#take('number');
    if (number !== undefined) return { kind: 'number', number: Number(number) };
    const first = this.#take('word');
    if (first === undefined) return undefined;
    return first === 'None' ? { kind: 'none' } : this.#path(first);
  }

  #path(first: string): CallValue | undefined {
    const path: (string | number)[] = [first];
    for (;;) {
      if (this.#take('sign', '.') !== undefined) {
        const word = this.#take('word');
        if (word === undefined) return undefined;
        path.push(word);
      } else if (this.#take('sign', '[') !== undefined) {
        const index = this.#take('number');
        const key = index === undefined ? this.#take('text') : Number(index);
        if (key === undefined || this.#take('sign', ']') === undefined) return undefined;
        path.push(key);
      } else return { kind: 'path', path };
    }
  }
}

/** Undefined if the text is not a call of this form. */
export function parsePluginCall(text: string): PluginCall | undefined {
  const tokens = tokensOf(text);
  return tokens && new Reader(tokens).call();
}

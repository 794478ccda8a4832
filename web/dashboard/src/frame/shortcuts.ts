/** What keys do anywhere on the page, but where somebody types. */
import { places } from '../parts/places.ts';

export type KeyAction =
  { readonly kind: 'go'; readonly href: string } | { readonly kind: 'help' } | { readonly kind: 'search' };

interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The longest time between `g` and the key after it. */
const pauseMs = 1500;

/** From strokes, one after the other, to what they mean. */
export class KeySequence {
  #goSinceMs = -Infinity;

  /** `isTyping`: the stroke goes into a field, a terminal or an editor, where only those with Ctrl or Cmd are ours. */
  read({ key, ctrlKey, metaKey, altKey }: Stroke, isTyping: boolean, nowMs: number): KeyAction | undefined {
    const isAfterGo = nowMs - this.#goSinceMs < pauseMs;
    this.#goSinceMs = -Infinity;
    if (altKey) return undefined;
    if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? { kind: 'search' } : undefined;
    if (isTyping) return undefined;
    const place = places.find((each) => each.key === key);
    if (isAfterGo && place) return { kind: 'go', href: place.href };
    if (key === 'g') this.#goSinceMs = nowMs;
    return key === '?' ? { kind: 'help' } : undefined;
  }
}

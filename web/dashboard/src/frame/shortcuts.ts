/** The global keyboard shortcuts; text fields keep their keys. */
import { places } from '../parts/places.ts';

export type KeyAction =
  { readonly kind: 'go'; readonly href: string } | { readonly kind: 'help' } | { readonly kind: 'search' };

interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The longest time between `g` and the next key. */
const pauseMs = 1500;

/** Turns key strokes into actions. */
export class KeySequence {
  #goSinceMs = -Infinity;

  /** `isTyping`: the stroke goes into a field, a terminal or an editor; then only Ctrl and Cmd combinations count. */
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

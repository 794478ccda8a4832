import { Store } from '../api/store.ts';

type Kind = 'search' | 'help';

interface Overlay {
  /** What is open above the page. */
  readonly open: Kind | undefined;
  /** What was open once: it stays where it is, so that it can leave gently and come back at once. */
  readonly known: ReadonlySet<Kind>;
}

export const overlay = new Store<Overlay>({ open: undefined, known: new Set() });

export function openOverlay(kind: Kind): void {
  overlay.set({ open: kind, known: new Set([...overlay.get().known, kind]) });
}

export function closeOverlay(): void {
  overlay.set({ ...overlay.get(), open: undefined });
}

import { Store } from '../api/store.ts';

type Kind = 'search' | 'help';

interface Overlay {
  readonly open: Kind | undefined;
  /** Dialogs that were opened once stay mounted, so that they close with a transition and reopen at once. */
  readonly known: ReadonlySet<Kind>;
}

export const overlay = new Store<Overlay>({ open: undefined, known: new Set() });

export function openOverlay(kind: Kind): void {
  overlay.set({ open: kind, known: new Set([...overlay.get().known, kind]) });
}

export function closeOverlay(): void {
  overlay.set({ ...overlay.get(), open: undefined });
}

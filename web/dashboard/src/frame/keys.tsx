import { Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import { late } from '../parts/late.ts';
import { useStore } from '../api/store.ts';
import { Failsafe } from './failsafe.tsx';
import { closeOverlay, openOverlay, overlay } from './overlay.ts';
import { KeySequence } from './shortcuts.ts';

/** Whether the target takes text: input fields and similar. In a dialog, the keys of the dialog go first. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const fields =
    'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="dialog"], .xterm';
  return target.isContentEditable || target.closest(fields) !== null;
}

const Palette = late(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));
const ShortcutsHelp = late(async () => ({ default: (await import('./shortcuts-help.tsx')).ShortcutsHelp }));

/** Handles the global shortcuts, and shows the dialogs that they open. Both load on first use. */
export function Keys() {
  const [, go] = useLocation();
  const { open, known } = useStore(overlay);
  useEffect(() => {
    const sequence = new KeySequence();
    const read = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const action = sequence.read(event, takesText(event.target), event.timeStamp);
      if (!action) return;
      event.preventDefault();
      if (action.kind === 'go') go(action.href);
      else openOverlay(action.kind);
    };
    document.addEventListener('keydown', read);
    return () => document.removeEventListener('keydown', read);
  }, [go]);
  return (
    <Failsafe isQuiet>
      <Suspense>
        {known.has('search') && <Palette isOpen={open === 'search'} onClose={closeOverlay} />}
        {known.has('help') && <ShortcutsHelp isOpen={open === 'help'} onClose={closeOverlay} />}
      </Suspense>
    </Failsafe>
  );
}

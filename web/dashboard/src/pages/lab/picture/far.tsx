import { useStore } from '@xyflow/react';
import type { ReactNode } from 'react';
import classes from './picture.module.css';

/** Below this, texts at lines are too small to be read. */
const farZoom = 0.6;

/** Its attribute changes with the zoom, and nothing in it is drawn anew for that. */
export function Far({ children }: { readonly children: ReactNode }) {
  const isFar = useStore(({ transform }) => transform[2] < farZoom);
  return (
    <div className={classes['canvas']} data-far={isFar || undefined}>
      {children}
    </div>
  );
}

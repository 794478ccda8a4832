/** The positions of boxes in a drawing: those that users gave them, which are saved, and those of the layout. */
import { useCallback, useMemo, useState } from 'react';
import { linkBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { useKeptLayout } from '../../../parts/picture/use-kept-layout.ts';

const nowhere: Positions = {};

/** A lab numbers its links, and a drawing names them by their ends. */
function boxIds({ links }: Drawing): ReadonlyMap<string, string> {
  return new Map(links.map(({ id }, index) => [linkBoxId(String(index + 1)), linkBoxId(id)]));
}

/** A lab that is started in the workspace has the saved positions too. */
export function usePositions(workspace: string, drawing: Drawing) {
  const kept = useKeptLayout('workspace', workspace);
  const [placed, setPlaced] = useState(nowhere);
  const ids = useMemo(() => boxIds(drawing), [drawing]);
  // An edit changes numbers. The saved ones are of the file as it was opened, or as it was at the last save.
  const [savedIds, setSavedIds] = useState(ids);
  if (savedIds.size === 0 && ids.size > 0) setSavedIds(ids);
  const given = useMemo(() => {
    const saved = Object.entries(kept.given ?? nowhere).map(
      ([id, at]) => [savedIds.get(id) ?? id, at] as const,
    );
    return { ...placed, ...Object.fromEntries(saved) };
  }, [savedIds, kept.given, placed]);
  const { move: save, forget: forgetSaved } = kept;
  const move = useCallback(
    (moved: ReadonlyMap<string, Point>) => {
      const numbers = new Map([...ids].map(([number, id]) => [id, number]));
      // With the places of the others, the drawing looks the same when it is opened again, and so does the lab.
      const all = [...Object.entries(given), ...moved];
      setSavedIds(ids);
      save(
        new Map(
          all.flatMap(([id, at]) => {
            const saved = numbers.get(id) ?? (id.startsWith('n:') ? id : undefined);
            return saved === undefined ? [] : [[saved, at] as const];
          }),
        ),
      );
    },
    [ids, given, save],
  );
  const forget = useCallback(() => {
    setPlaced(nowhere);
    forgetSaved();
  }, [forgetSaved]);
  return { given: kept.given === undefined ? undefined : given, place: setPlaced, move, forget };
}

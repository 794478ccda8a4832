/** The positions of boxes in a drawing: those that users gave them, which are saved, and those of the layout. */
import { useCallback, useMemo, useState } from 'react';
import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import { layoutKeys, type KeyedLink } from '../../../../../../src/labs/picture/positions.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { useKeptLayout } from '../../../parts/picture/use-kept-layout.ts';

const nowhere: Positions = {};

type Numbers = ReadonlyMap<string, string>;

const keysIn = ({ links }: Drawing): string[] => layoutKeys(links.map(({ ends }) => ({ endpoints: ends })));

/** Layouts had the numbers of links before: those of the file as it was opened. */
const numbersIn = (drawing: Drawing): Numbers =>
  new Map(keysIn(drawing).map((key, index) => [key, String(index + 1)]));

function keyed(drawing: Drawing, numbers: Numbers): KeyedLink[] {
  const keys = keysIn(drawing);
  return drawing.links.map(({ id }, index) => {
    const key = keys[index] ?? id;
    return { id, key, formerKey: numbers.get(key) };
  });
}

/** The links of a drawing, and those that were in the one before: an undo brings them back. */
function withFormer(now: readonly KeyedLink[], before: readonly KeyedLink[]): KeyedLink[] {
  const taken = new Set(now.flatMap(({ id, key }) => [`id ${id}`, `key ${key}`]));
  return [...now, ...before.filter(({ id, key }) => !taken.has(`id ${id}`) && !taken.has(`key ${key}`))];
}

/** A lab that is started in the workspace has the saved positions too. */
export function usePositions(workspace: string, drawing: Drawing) {
  const [numbers, setNumbers] = useState(() => numbersIn(drawing));
  if (numbers.size === 0 && drawing.links.length > 0) setNumbers(numbersIn(drawing));
  const links = useMemo(() => keyed(drawing, numbers), [drawing, numbers]);
  const kept = useKeptLayout('workspace', workspace, links);
  const [placed, setPlaced] = useState(nowhere);
  const given = useMemo(() => ({ ...placed, ...kept.given }), [kept.given, placed]);
  const { move: save, forget: forgetSaved } = kept;
  const move = useCallback(
    (moved: ReadonlyMap<string, Point>, now: Drawing = drawing) => {
      // With the places of the others, the drawing looks the same when it is opened again, and so does the lab.
      save(new Map([...Object.entries(given), ...moved]), withFormer(keyed(now, numbers), links));
    },
    [drawing, links, numbers, given, save],
  );
  const isSaved = Object.keys(kept.given ?? nowhere).length > 0;
  const carry = useCallback(
    (moved: ReadonlyMap<string, Point>, now: Drawing) => {
      // Saved positions are whole pixels: the first ones are saved when a user moves a box.
      if (isSaved) move(moved, now);
      else setPlaced((before) => ({ ...before, ...Object.fromEntries(moved) }));
    },
    [isSaved, move],
  );
  const forget = useCallback(() => {
    setPlaced(nowhere);
    forgetSaved(drawing.nodes.map(({ name }) => name));
  }, [forgetSaved, drawing]);
  return { given: kept.given === undefined ? undefined : given, place: setPlaced, move, carry, forget };
}

import { useLocalStorage, useMediaQuery } from '@mantine/hooks';

export type View = 'cards' | 'table';

/** From so many labs on, one looks for a line rather than at cards. */
const manyLabs = 12;

/** How labs are shown: as this browser was told last, else as suits their number; a narrow window has no place for a table. */
export function useView(count: number): readonly [View, (view: View) => void] {
  const [chosen, choose] = useLocalStorage<View | ''>({
    key: 'lab-api.labs-view',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const view = chosen === '' ? (count > manyLabs ? 'table' : 'cards') : chosen;
  return [isNarrow ? 'cards' : view, choose];
}

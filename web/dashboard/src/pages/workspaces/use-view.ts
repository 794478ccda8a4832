import { useAddress } from '../../parts/use-address.ts';

/** A topology is shown as text, as a drawing, or as both. */
export const views = [
  { value: 'text', label: 'Text' },
  { value: 'both', label: 'Both' },
  { value: 'drawing', label: 'Drawing' },
] as const;

export type View = (typeof views)[number]['value'];

/** The view in the address: `view=drawing`. */
export function useView(): readonly [View, (view: View) => void] {
  const { get, change } = useAddress();
  const view = views.find(({ value }) => value === get('view'))?.value ?? 'text';
  return [view, (next) => change({ view: next === 'text' ? undefined : next })];
}

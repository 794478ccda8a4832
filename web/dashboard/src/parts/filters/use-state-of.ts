import { useState } from 'react';

/** A state that begins anew with `first` when `key` changes; the field that shows it keeps the focus. */
export function useStateOf<T>(first: T, key: string): readonly [T, (next: T) => void] {
  const [kept, keep] = useState({ key, value: first });
  const isOld = kept.key !== key;
  // While it is drawn, as React recommends: the old value is never shown.
  if (isOld) keep({ key, value: first });
  return [isOld ? first : kept.value, (value) => keep({ key, value })];
}

/** Lines, counted from 1, both included; or a byte of the log where a line begins. */
export type Mark = { readonly from: number; readonly to: number } | { readonly byte: number };

const whole = (digits: string): number => Number.parseInt(digits, 10);

/** What the address names; undefined for nothing. */
export function parsedMark(hash: string, search: string): Mark | undefined {
  const byte = /^#B(\d{1,15})$/.exec(hash)?.[1];
  if (byte !== undefined) return { byte: whole(byte) };
  const asked = new URLSearchParams(search).get('line') ?? '';
  const lines = /^#L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash) ?? /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(asked);
  const [, first = '', last = first] = lines ?? [];
  if (first === '') return undefined;
  const [from, to] = [whole(first), whole(last)].toSorted((a, b) => a - b);
  return from === undefined || from === 0 ? undefined : { from, to: to ?? from };
}

/** The part of an address that names it. */
export function markText(mark: Mark): string {
  if ('byte' in mark) return `#B${mark.byte}`;
  return mark.from === mark.to ? `#L${mark.from}` : `#L${mark.from}-L${mark.to}`;
}

import type { Format } from './drawing.ts';

/** The first of these lab CLIs that reads files of this format; undefined if none does. */
export function cliFor(format: Format, clis: readonly { readonly name: string }[]): string | undefined {
  return clis.find(({ name }) => (name === 'containerlab') === (format === 'containerlab'))?.name;
}

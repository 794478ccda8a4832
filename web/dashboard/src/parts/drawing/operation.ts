/** Operations on the values of a YAML file. */
import type { Path } from './yaml-text.ts';

/** All paths are those before the first operation. */
export type Operation =
  | { readonly kind: 'put'; readonly path: Path; readonly value: unknown }
  /** Adds entries at the end of the map at `path`, which is made if there is none. */
  | {
      readonly kind: 'insert';
      readonly path: Path;
      readonly entries: readonly (readonly [string, unknown])[];
    }
  /** Adds items at the end of the list at `path`, which is made if there is none. */
  | { readonly kind: 'append'; readonly path: Path; readonly values: readonly unknown[] }
  | { readonly kind: 'remove'; readonly path: Path }
  /** Gives an entry of a map another key. */
  | { readonly kind: 'rename'; readonly path: Path; readonly to: string };

/** An edit that the text does not allow; the message ends with the remedy. */
export class RefusedEdit extends Error {}

export const editTheText = 'change it in the text';

export function refuse(path: Path): never {
  throw new RefusedEdit(
    `${path.join('.')} comes from another part of the file, or is written in an unusual way: ${editTheText}`,
  );
}

/** Refuses to change a part of the text, if a comment would disappear with it. */
export function keepComments(text: string, path: Path): void {
  if (/(?:^|\s)#/.test(text))
    throw new RefusedEdit(`a comment inside ${path.join('.')} would be lost: ${editTheText}`);
}

import type { Lab } from '../../../../src/client/api-types.ts';

type Named = Pick<Lab, 'id' | 'name' | 'workspace' | 'workdir'>;

/**
 * What people know a lab by. netlab calls one with a multilab id `ml-7`, which says nothing: then it is its workspace or its
 * directory, and at last its id.
 */
export function labTitle({ id, name, workspace, workdir }: Named): string {
  if (name !== null && name !== `ml-${id}`) return name;
  return workspace ?? workdir?.split('/').findLast((part) => part !== '') ?? id;
}

/** The title, and the id where that is another word. */
export function labNames(lab: Named): { title: string; id: string | undefined } {
  const title = labTitle(lab);
  return { title, id: title === lab.id ? undefined : lab.id };
}

/** The same in one piece, for sentences. */
export function labText(lab: Named): string {
  const { title, id } = labNames(lab);
  return id === undefined ? title : `${title} (${id})`;
}

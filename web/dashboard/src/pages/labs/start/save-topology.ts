/** Saves a typed topology as a file of a workspace: it is there also when it has a mistake, and the lab can be started from it again. */
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { client, tagged } from '../../../api/service.ts';
import { topologyName } from './place.ts';

interface SavedTopology {
  readonly workspace: string;
  readonly path: string;
  readonly tag: string;
}

interface NewTopology {
  readonly workspace: string;
  readonly text: string;
  readonly cli: string | undefined;
  /** Of the file, without what it ends with; `topology` without one. */
  readonly name?: string | undefined;
}

/** Files that are tried until one is new. */
const mostNames = 50;

async function write(
  { workspace, path }: Omit<SavedTopology, 'tag'>,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<SavedTopology> {
  const where = `/workspaces/${encodeURIComponent(workspace)}/files/${path}`;
  const { tag } = await tagged('PUT', where, { headers, stream: new Blob([text]) });
  return { workspace, path, tag };
}

/**
 * Writes a new file, or the file of the last attempt if it is unchanged. It never overwrites other files.
 * @throws ServiceError, ConnectionError.
 */
export async function saveTopology(
  { workspace, text, cli, name }: NewTopology,
  last: SavedTopology | undefined,
): Promise<SavedTopology> {
  await client.workspaces.make(workspace);
  if (last?.workspace === workspace) {
    const again = await write(last, text, { 'If-Match': last.tag }).catch(unlessTaken);
    if (again) return again;
  }
  for (let nth = 1; nth < mostNames; nth += 1) {
    const path = topologyName(cli, nth, name);
    const saved = await write({ workspace, path }, text, { 'If-None-Match': '*' }).catch(unlessTaken);
    if (saved) return saved;
  }
  throw new Error(`the workspace ${workspace} has too many topology files`);
}

function unlessTaken(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'precondition-failed') throw error;
}

/**
 * Where users put the nodes of a lab in its picture. It is kept in the data directory of the service, by the directory of
 * the lab, and not in that directory: `down` with `cleanup` and a new upload of a workspace empty that, and it may belong
 * to a user who is not to be trusted with a file that the service follows.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { AppError, systemCode } from '../../lib/app-error.ts';
import { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { NodePositions } from '../drivers/topology-driver.ts';
import type { LayoutBeside } from './layout-beside.ts';

const nameLengthMax = 200;
const farthest = 1_000_000;
/** More boxes than this no picture has (`lab-pictures.ts`). */
const positionsMax = 5_000;
/** Files of labs that are never started again stay behind; the oldest are deleted. */
const filesMax = 1_000;

const coordinate = z.number().min(-farthest).max(farthest);
const pointSchema = z.object({
  x: coordinate.describe('How far to the right, in pixels: a number up to a million either way.'),
  y: coordinate.describe('How far down, in pixels: a number up to a million either way.'),
});
const positions = z
  .record(
    z.string().min(1).max(nameLengthMax),
    pointSchema.meta({ id: 'Position', description: 'The middle of a box.' }),
  )
  .refine(
    (all) => Object.keys(all).length <= positionsMax,
    `must not have more than ${positionsMax} positions`,
  );

const nodes = positions.describe('By the name of a node: where its middle is.');
const links = positions.describe(
  'By the nodes of a link that is drawn as a network, with one node or more than two: where its middle is. The names are in alphabetical order (`h1,h2,h3`, and ` (2)` for a second one); the `id` of the link works too.',
);
const description = 'Positions that users gave the boxes of a picture. The service places all other boxes.';

export const layoutSchema = z.object({ nodes, links }).meta({ id: 'LabLayout', description });

/** The body of a request. */
export const layoutRequestSchema = z
  .object({ nodes: nodes.default({}), links: links.default({}) })
  .meta({ id: 'LabLayoutRequest', description });

export type LabLayout = Readonly<z.output<typeof layoutSchema>>;

/** `beside` tells what the file of another tool said when the layout was saved; null when there was none. */
const fileSchema = z.object({
  directory: z.string(),
  layout: layoutSchema,
  beside: z.string().nullable().default(null),
});

const noLayout: LabLayout = { nodes: {}, links: {} };

/** The positions that a layout can hold. */
function soundNodes(positionsOfNodes: NodePositions): LabLayout['nodes'] {
  const sound = Object.entries(positionsOfNodes).filter(
    ([name]) => name !== '' && name.length <= nameLengthMax && name !== '__proto__',
  );
  return Object.fromEntries(sound.slice(0, positionsMax));
}

/** Stands for positions: the same ones have the same. */
function markOf(positionsOfNodes: NodePositions | undefined): string | null {
  if (positionsOfNodes === undefined) return null;
  const entries = Object.entries(positionsOfNodes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(entries.map(([name, { x, y }]) => [name, x, y])))
    .digest('hex');
}

export class LabLayouts {
  readonly #directory: string;
  readonly #beside: Pick<LayoutBeside, 'read' | 'write'>;
  readonly #turns = new KeyedMutex();

  constructor(dataDir: string, beside: Pick<LayoutBeside, 'read' | 'write'>) {
    this.#directory = path.join(dataDir, 'layouts');
    this.#beside = beside;
  }

  /**
   * The layout of the lab in `labDirectory`, a real path; empty when no node was placed. Positions that another tool saved
   * after this layout override it.
   */
  async get(labDirectory: string): Promise<LabLayout> {
    const kept = await this.#kept(labDirectory);
    const beside = await this.#beside.read(labDirectory);
    const own = kept?.layout ?? noLayout;
    const isNew = beside !== undefined && Object.keys(beside).length > 0 && markOf(beside) !== kept?.beside;
    return isNew ? { nodes: soundNodes(beside), links: own.links } : own;
  }

  async #kept(labDirectory: string): Promise<z.output<typeof fileSchema> | undefined> {
    const reading = await readPlainFile(this.#fileOf(labDirectory));
    if (reading.kind === 'found') return parsed(reading.text);
    if (reading.kind === 'absent') return undefined;
    throw new AppError('storage-fault', 'the layout cannot be read now', { cause: reading.error });
  }

  /**
   * Replaces it when `check`, which is given the one that is there, does not throw. Only the other tool could change
   * it in between. That tool gets the positions too, where `mayWrite` says so of the real path of its file.
   * @throws AppError `storage-fault`.
   */
  async put(
    labDirectory: string,
    layout: LabLayout,
    check: (now: LabLayout) => void,
    mayWrite: (realPath: string) => boolean = () => true,
  ): Promise<void> {
    const file = this.#fileOf(labDirectory);
    await this.#turns.run(file, async () => {
      check(await this.get(labDirectory));
      try {
        await makeDirectories(this.#directory, 0o700);
        await this.#forgetOldest();
        const beside = markOf(await this.#beside.write(labDirectory, layout.nodes, mayWrite));
        await writeDurably(file, JSON.stringify({ directory: labDirectory, layout, beside }), 0o600);
      } catch (error) {
        const isFull = systemCode(error) === 'ENOSPC';
        const why = isFull ? ': the disk is full' : '';
        throw new AppError('storage-fault', `the layout cannot be written now${why}`, { cause: error });
      }
    });
  }

  /** To be called when a directory is gone: another one of its name begins without positions. Never rejects. */
  async forget(labDirectory: string): Promise<void> {
    const file = this.#fileOf(labDirectory);
    await this.#turns.run(file, async () => rm(file, { force: true })).catch(() => undefined);
  }

  async #forgetOldest(): Promise<void> {
    const names = await readdir(this.#directory);
    if (names.length < filesMax) return;
    const files = names.map(async (name) => {
      const file = path.join(this.#directory, name);
      return { file, atMs: (await stat(file)).mtimeMs };
    });
    const oldest = (await Promise.all(files)).toSorted((a, b) => a.atMs - b.atMs);
    for (const { file } of oldest.slice(0, names.length - filesMax + 1)) await rm(file, { force: true });
  }

  #fileOf(labDirectory: string): string {
    const name = createHash('sha256').update(labDirectory).digest('hex').slice(0, 32);
    return path.join(this.#directory, `${name}.json`);
  }
}

/** Undefined when the file is not a layout: a user edited it, or a later version wrote it. Losing positions does no harm. */
function parsed(text: string): z.output<typeof fileSchema> | undefined {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

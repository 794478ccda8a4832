/** A directory of workspaces, what those who use them say, and what clients send. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileOwner } from '../../../../src/labs/workspaces/workspace-store.ts';
import type { Body } from '../../../../src/labs/workspaces/receive.ts';
import { WorkspaceFiles } from '../../../../src/labs/workspaces/workspace-files.ts';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import type { WorkspaceUse } from '../../../../src/labs/workspaces/workspace-use.ts';
import { Workspaces } from '../../../../src/labs/workspaces/workspaces.ts';
import type { WorkspaceLimits } from '../../../../src/labs/workspaces/workspace.ts';
import { systemClock, type WallClock } from '../../../../src/lib/wall-clock.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();

interface Changes {
  readonly limits?: Partial<WorkspaceLimits>;
  readonly use?: Partial<WorkspaceUse>;
  readonly owner?: FileOwner | undefined;
  readonly clock?: WallClock;
}

export const mebi = 1024 ** 2;

/** Nobody is there. */
const unused: WorkspaceUse = {
  seeLabs: async () => undefined,
  labIn: () => undefined,
  jobIn: () => undefined,
  whileClosed: async (action) => action(),
};

/** All that is in a directory, sorted: each file with its text, each directory with a slash behind it. */
export function treeOf(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  return entries
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(directory, file);
      if (entry.isDirectory()) return `${name}/`;
      return entry.isFile() ? `${name}: ${readFileSync(file, 'utf8')}` : `${name} (special)`;
    })
    .toSorted();
}

export class Ground {
  readonly root = mkdtempSync(path.join(base, 'ground-'));
  readonly places = new WorkspacePlaces(path.join(this.root, 'workspaces'));
  readonly log = new MemoryLogger();
  readonly workspaces: Workspaces;
  readonly files: WorkspaceFiles;

  private constructor({ limits, use, owner, clock = systemClock }: Changes) {
    const sizes = { maxFileBytes: mebi, maxBytes: mebi, maxTotalBytes: mebi, minFreeBytes: 0 };
    const all = { ...sizes, maxFiles: 100, keepMs: undefined };
    this.workspaces = new Workspaces({
      places: this.places,
      limits: { ...all, ...limits },
      use: { ...unused, ...use },
      owner,
      clock,
      log: this.log,
    });
    this.files = new WorkspaceFiles(this.workspaces);
  }

  /** As after the start of a service. */
  static async make(changes: Changes = {}): Promise<Ground> {
    const ground = new Ground(changes);
    mkdirSync(ground.places.directory);
    await ground.workspaces.store.prepare();
    await ground.workspaces.store.recover(async () => Promise.resolve(false));
    return ground;
  }

  /** A path in the directory of all workspaces. */
  at(...names: readonly string[]): string {
    return path.join(this.places.directory, ...names);
  }

  /** The files that are open, once the times of the last uses are written. */
  async opened(): Promise<string[]> {
    await this.workspaces.uses.save();
    return openedBelow(this.root);
  }

  /** What the service has for itself while something is under way. */
  left(): string[] {
    return ['incoming', 'trash'].flatMap((name) => readdirSync(path.join(this.places.ownDirectory, name)));
  }
}

/** A body that comes in these pieces. */
export async function* bodyOf(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

interface Gate {
  readonly isOpen: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { isOpen, open };
}

/**
 * A body whose client stops after its first piece, when that is taken (`hasCome`), until `go` is called. Wait for the end of
 * the upload as well: one that is refused takes none.
 */
export function heldBody(first: string | Uint8Array, rest: string | Uint8Array = '') {
  const [come, held] = [gate(), gate()];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    come.open();
    await held.isOpen;
    yield Buffer.from(rest);
  }
  return { body: pieces() as Body, hasCome: come.isOpen, go: held.open };
}

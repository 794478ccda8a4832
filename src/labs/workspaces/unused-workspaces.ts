/** Removes the workspaces that were unused for the time that the settings name. */
import { AppError, messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { clockSetBy, type ClockMark, type WallClock } from '../../lib/wall-clock.ts';
import type { Workspace } from './workspace.ts';
import { measureTree } from './workspace-sizes.ts';
import type { Workspaces } from './workspaces.ts';

const hourMs = 3_600_000;
const leastLookMs = 1_000;

/** Between two looks at all workspaces, in ms. */
export function lookIntervalMs(keepMs: number): number {
  return Math.max(leastLookMs, Math.min(hourMs, keepMs / 4));
}

interface UnusedDeps {
  readonly workspaces: Pick<Workspaces, 'list' | 'remove' | 'uses'>;
  /** How long a workspace is kept after its last use. */
  readonly keepMs: number;
  readonly clock: WallClock;
  /** Called after each removal. */
  readonly onRemoved?: (name: string) => void;
  readonly log: Logger;
}

/**
 * A workspace goes at the second look that finds it unused, an hour after the first one (or after `keepMs`, which may be less):
 * after a start, users have this time, and so has a clock that is wrong until the network is there. When the clock was set in
 * between, the next look counts as the first one.
 */
export class UnusedWorkspaces {
  readonly #deps: UnusedDeps;
  /** The first look that found them unused. */
  readonly #found = new Map<string, ClockMark & { readonly atMs: number }>();
  #isLooking = false;

  constructor(deps: UnusedDeps) {
    this.#deps = deps;
  }

  /** Never rejects. `signal` ends it early. */
  async look(signal?: AbortSignal): Promise<void> {
    // A tree may be so large that the next look is due before this one ends.
    if (this.#isLooking || signal?.aborted) return;
    this.#isLooking = true;
    const { workspaces, log } = this.#deps;
    try {
      for (const workspace of await workspaces.list()) {
        if (signal?.aborted) return;
        await this.#lookAt(workspace);
      }
      await workspaces.uses.save();
    } catch (error) {
      log.error('unused workspaces cannot be removed', { cause: messageOf(error) });
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAt(workspace: Workspace): Promise<void> {
    const { workspaces, clock, log } = this.#deps;
    const { name, lab, job, lastUsedAt } = workspace;
    // Not known from elsewhere when the lab ends in a shell.
    if (lab !== null || job !== null) workspaces.uses.note(name);
    if (!this.#isExpired(workspace)) return void this.#found.delete(name);
    const now = { ...clock.mark(), atMs: clock.nowMs() };
    const first = this.#found.get(name);
    const graceMs = Math.min(hourMs, this.#deps.keepMs);
    if (first === undefined || clockSetBy(first, now) !== 0) {
      this.#found.set(name, now);
      const after = new Date(now.atMs + graceMs).toISOString();
      log.info('a workspace is unused, and will be removed unless it is used', {
        workspace: name,
        lastUsedAt,
        after,
      });
    } else if (now.atMs - first.atMs >= graceMs) await this.#remove(workspace);
  }

  async #remove({ name, workdir, owner, lastUsedAt }: Workspace): Promise<void> {
    const { workspaces, onRemoved, log } = this.#deps;
    // Asked again inside the lock of the removal: the look may have been long ago.
    const assertUnused = (): void => {
      const usedMs = workspaces.uses.of(name) ?? 0;
      if (usedMs > Date.parse(lastUsedAt)) throw new AppError('workspace-busy', `"${name}" is used again`);
    };
    try {
      // The list has the known size of a large workspace: people may have changed files in a shell since that was measured.
      const { modifiedMs } = await measureTree(workdir);
      if (modifiedMs > Date.parse(lastUsedAt)) workspaces.uses.noteEarlier(name, modifiedMs);
      await workspaces.remove(name, assertUnused);
      onRemoved?.(name);
      log.info('a workspace was removed because it was unused', { workspace: name, owner, lastUsedAt });
      this.#found.delete(name);
    } catch (error) {
      // A lab or a job that has just come, or a lab CLI that does not say whether there is one: the next look tries again.
      log.info('an unused workspace is kept for now', { workspace: name, cause: messageOf(error) });
    }
  }

  #isExpired({ expiresAt }: Workspace): boolean {
    return expiresAt !== null && Date.parse(expiresAt) <= this.#deps.clock.nowMs();
  }
}

/** How much is in workspaces, as far as it is known: a lab can make so many files that it takes a minute to look at each. */
import { systemCode } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { walkTree } from '../../lib/files/walk-tree.ts';
import type { Logger } from '../../lib/logger.ts';

export interface Amount {
  /** Bytes in its files. */
  readonly size: number;
  readonly files: number;
  /** Files, directories and everything else. */
  readonly entries: number;
}

export interface WorkspaceSize extends Amount {
  /** When a file or a directory in it was last changed, in whole ms since 1970, as times in texts: Linux keeps fractions. */
  readonly modifiedMs: number;
}

/** @throws Error of the system. */
export async function measureTree(directory: string): Promise<WorkspaceSize> {
  const top = await OpenDirectory.open(directory);
  try {
    let [size, files, entries, modifiedMs] = [0, 0, 0, 0];
    for await (const { kind, stats } of walkTree(top)) {
      entries += 1;
      if (kind === 'file') [size, files] = [size + stats.size, files + 1];
      modifiedMs = Math.max(modifiedMs, Math.floor(stats.mtimeMs));
    }
    return { size, files, entries, modifiedMs };
  } finally {
    await top.close();
  }
}

/** A look that takes longer happens in the background, once a size is known. */
const quickMs = 250;
/** How old the size of a small workspace may be. */
const ageMs = 5_000;
/** Between two looks in the background at one workspace: so many times as long as the last one took. */
const restFactor = 20;
/** Between a look at one workspace and one at the next; after that, when none is known to have changed: labs write at any time. */
const [restMs, idleRestMs] = [1_000, 10_000];

interface Kept {
  readonly size: WorkspaceSize;
  /** How long the look took. */
  readonly tookMs: number;
  readonly endedMs: number;
  readonly isChanged: boolean;
}

interface Look {
  readonly found: Promise<WorkspaceSize>;
  /** Files that came since the look began: it may have passed by their directory before. */
  more: Amount;
  isChanged: boolean;
}

interface SizesDeps {
  readonly pathOf: (name: string) => string;
  /** They may change. */
  readonly limits: { readonly maxFiles: number };
  readonly log: Logger;
  /** In ms. */
  readonly now?: () => number;
}

const nothing: Amount = { size: 0, files: 0, entries: 0 };

/** No amount is below nothing: a size that was kept may have been wrong. */
function sum(a: Amount, b: Amount): Amount {
  const [size, files, entries] = [a.size + b.size, a.files + b.files, a.entries + b.entries];
  return { size: Math.max(0, size), files: Math.max(0, files), entries: Math.max(0, entries) };
}

/** The size of each workspace at the last look, with the changes by the service itself since then. */
export class WorkspaceSizes {
  readonly #deps: SizesDeps;
  readonly #kept = new Map<string, Kept>();
  readonly #looks = new Map<string, Look>();
  /** When the last look at it began. */
  readonly #lookedMs = new Map<string, number>();
  #totalBytes = 0;
  readonly #now: () => number;
  #wake: () => void = () => undefined;

  constructor(deps: SizesDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /**
   * Of all workspaces. After a start, those that were not looked at yet count as nothing: an upload waits for none of them, and
   * the floor of the free disk holds all the same.
   */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** 0 while it is unknown. */
  bytesOf(name: string): number {
    return this.#kept.get(name)?.size.size ?? 0;
  }

  /** The workspaces of known size. */
  names(): readonly string[] {
    return [...this.#kept.keys()];
  }

  /** Whether it was ever looked at. */
  isKnown(name: string): boolean {
    return this.#kept.has(name);
  }

  /** Looks at those that were never looked at. Never rejects. */
  async seeAll(names: readonly string[]): Promise<void> {
    for (const name of names) if (!this.isKnown(name)) await this.of(name).catch(() => undefined);
  }

  /** Of one workspace; of a large one it may be old. @throws Error of the system when it was never seen, and cannot be now. */
  async of(name: string): Promise<WorkspaceSize> {
    const kept = this.#kept.get(name);
    if (kept === undefined) return this.#look(name);
    const isFresh = !kept.isChanged && this.#now() < kept.endedMs + ageMs;
    return isFresh || kept.tookMs > quickMs ? kept.size : this.#look(name);
  }

  /** Something in it was changed, as by a job; `added` by the service itself, or removed: an amount below 0. */
  noteChange(name: string, added?: Amount): void {
    const look = this.#looks.get(name);
    // The look may have seen that, too: until the next one, rather too much is counted than too little.
    if (look) [look.isChanged, look.more] = [true, sum(look.more, added ?? nothing)];
    const kept = this.#kept.get(name);
    if (kept) {
      const size = added ? { ...sum(kept.size, added), modifiedMs: Date.now() } : kept.size;
      this.#keep(name, { ...kept, size, isChanged: true });
    }
    this.#wake();
  }

  /** It is another one now, with so much in it; undefined: it is gone. */
  noteReplaced(name: string, amount: Amount | undefined): void {
    // A look that runs is at the old one.
    this.#looks.delete(name);
    const size = amount && { ...amount, modifiedMs: Date.now() };
    this.#keep(name, size && { size, tookMs: 0, endedMs: this.#now(), isChanged: true });
    this.#wake();
  }

  /** Forgets all others: another program removed them. */
  retain(names: readonly string[]): void {
    const there = new Set(names);
    for (const name of this.#kept.keys()) if (!there.has(name)) this.#keep(name, undefined);
    for (const name of this.#lookedMs.keys()) if (!there.has(name)) this.#lookedMs.delete(name);
  }

  /** Looks at one workspace after the other, with pauses; those that are unknown or changed come first. The result ends it. */
  watch(names: () => Promise<readonly string[]>): () => void {
    let [isBusy, isEnded, restsUntilMs, looks] = [false, false, 0, 0];
    let cancel: () => void = () => undefined;
    const arm = (ms: number): void => {
      cancel();
      if (!isEnded && !isBusy) cancel = after(Math.max(0, ms), () => void lookAtNext());
    };
    const lookAtNext = async (): Promise<void> => {
      isBusy = true;
      const startedMs = this.#now();
      const found = await names().catch(() => undefined);
      // Without a list, nothing is known to be gone.
      if (found !== undefined) this.retain(found);
      const all = found ?? [];
      const rested = all.filter((name) => this.#isRested(name));
      looks += 1;
      // Every second look is in turn, so that one that is changed all the time keeps none of the others out.
      const rankOf = (name: string): number => this.#rank(name, looks % 2 === 0);
      const next = rested.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
      if (next !== undefined) await this.#look(next).catch(() => undefined);
      isBusy = false;
      // After a start, soon: what was not seen yet counts as nothing.
      const isAllSeen = all.every((name) => this.#lookedMs.has(name));
      const pauseMs = isAllSeen ? restMs : Math.min(restMs, this.#now() - startedMs);
      restsUntilMs = this.#now() + pauseMs;
      const isWanted = (name: string): boolean =>
        this.#kept.get(name)?.isChanged === true && this.#isRested(name);
      arm(!isAllSeen || all.some(isWanted) ? pauseMs : idleRestMs);
    };
    this.#wake = () => arm(restsUntilMs - this.#now());
    arm(0);
    return () => {
      isEnded = true;
      cancel();
    };
  }

  #isRested(name: string): boolean {
    const kept = this.#kept.get(name);
    return kept === undefined || this.#now() >= kept.endedMs + kept.tookMs * restFactor;
  }

  /** The least comes first. */
  #rank(name: string, isInTurn: boolean): number {
    const lookedMs = this.#lookedMs.get(name) ?? Number.NEGATIVE_INFINITY;
    const isFirst = !isInTurn && this.#kept.get(name)?.isChanged === true;
    return isFirst ? lookedMs - Number.MAX_SAFE_INTEGER : lookedMs;
  }

  /** Looks at each file; at a workspace once at a time. */
  async #look(name: string): Promise<WorkspaceSize> {
    const running = this.#looks.get(name);
    if (running === undefined) return this.#beginLook(name);
    if (!running.isChanged) return running.found;
    await running.found.catch(() => undefined);
    return this.of(name);
  }

  async #beginLook(name: string): Promise<WorkspaceSize> {
    const startedMs = this.#now();
    this.#lookedMs.set(name, startedMs);
    const seen = measureTree(this.#deps.pathOf(name)).then(
      (found) => {
        if (this.#looks.get(name) !== look) return found;
        this.#looks.delete(name);
        const size = { ...found, ...sum(found, look.more) };
        const endedMs = this.#now();
        this.#tellIfTooMany(name, size);
        this.#keep(name, { size, tookMs: endedMs - startedMs, endedMs, isChanged: look.isChanged });
        return size;
      },
      (error: unknown) => {
        if (this.#looks.get(name) === look) {
          this.#looks.delete(name);
          if (systemCode(error) === 'ENOENT') this.#keep(name, undefined);
        }
        throw error;
      },
    );
    const look: Look = { found: seen, more: nothing, isChanged: false };
    this.#looks.set(name, look);
    return seen;
  }

  #keep(name: string, kept: Kept | undefined): void {
    this.#totalBytes += (kept?.size.size ?? 0) - this.bytesOf(name);
    if (kept) this.#kept.set(name, kept);
    else this.#kept.delete(name);
  }

  /** Once: a lab does not ask whether it may make a file. */
  #tellIfTooMany(name: string, { entries }: WorkspaceSize): void {
    const { limits, log } = this.#deps;
    const { maxFiles } = limits;
    if (entries <= maxFiles || (this.#kept.get(name)?.size.entries ?? 0) > maxFiles) return;
    log.warn('a workspace has more files than it may have; new ones are refused', {
      workspace: name,
      entries,
      limit: maxFiles,
    });
  }
}

import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../app-error.ts';
import { parseStat, saysGone, type ProcessEntry } from './processes.ts';

/** A process, and the value of the scanner's variable in the environment that it was started with. */
export interface ScannedProcess extends ProcessEntry {
  /** Null when the variable is not set; undefined when the environment may not be read (another user's process). */
  readonly tag: string | null | undefined;
}

interface Remembered {
  readonly startTicks: number;
  readonly tag: string | null;
}

/** Descriptors that a scan may hold at once: thousands of processes must not use up the service's. */
const parallelReads = 16;
/** proc(5) counts start times in USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;
/** Between fork(2) and execve(2) a child shows its parent's environment: one this young is read again at the next look. */
const settledSeconds = 10;

/**
 * How often a young process without an environment is checked: during execve(2) a process has none for a moment, and a
 * kernel thread never has one.
 */
const looksAtNothing = 5;
const nothingPauseMs = 1;

async function readProc(pid: number, file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`);
  } catch (error) {
    if (saysGone(error)) return undefined;
    throw error;
  }
}

/**
 * Looks at all processes, at a cost that does not grow with the number of callers: those who call while a look is under
 * way share the next one, and each environment is read once. Throws when the system cannot tell.
 */
export class ProcessScanner {
  readonly #prefix: string;
  readonly #remembered = new Map<number, Remembered>();
  #current: Promise<unknown> = Promise.resolve();
  #next: Promise<ScannedProcess[]> | undefined;

  constructor(variable: string) {
    this.#prefix = `${variable}=`;
  }

  /** Every living process, as seen after this call. */
  async scan(): Promise<ScannedProcess[]> {
    // A look that is under way may have passed a process that the caller started before this call; the next one has not.
    this.#next ??= this.#current.then(async () => {
      this.#next = undefined;
      const look = this.#look();
      this.#current = look.catch(() => undefined);
      return look;
    });
    return this.#next;
  }

  async #look(): Promise<ScannedProcess[]> {
    const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
    const settledTicks = (uptime - settledSeconds) * ticksPerSecond;
    const names = await readdir('/proc');
    const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
    const found: ScannedProcess[] = [];
    const reader = async (): Promise<void> => {
      for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
        const entry = await this.#lookAt(pid, settledTicks);
        if (entry) found.push(entry);
      }
    };
    await Promise.all(Array.from({ length: parallelReads }, reader));
    this.#forgetAllBut(found);
    return found;
  }

  async #lookAt(pid: number, settledTicks: number): Promise<ScannedProcess | undefined> {
    const stat = await readProc(pid, 'stat');
    const entry = stat && parseStat(pid, stat.toString('latin1'));
    if (!entry) return undefined;
    const known = this.#remembered.get(pid);
    if (known?.startTicks === entry.startTicks) return { ...entry, tag: known.tag };
    const tag = await this.#readTag(pid, entry.startTicks >= settledTicks);
    // A tag stays, whatever the process does to its environment later. That there is none is believed of an old process
    // only: a young one may not have its own environment yet.
    const isFinal = typeof tag === 'string' || (tag === null && entry.startTicks < settledTicks);
    if (isFinal) this.#remembered.set(pid, { startTicks: entry.startTicks, tag });
    return { ...entry, tag };
  }

  async #readTag(pid: number, isYoung: boolean): Promise<string | null | undefined> {
    try {
      let environ = await readProc(pid, 'environ');
      const looks = isYoung ? looksAtNothing : 1;
      for (let look = 1; environ?.length === 0 && look < looks; look += 1) {
        await delay(nothingPauseMs);
        environ = await readProc(pid, 'environ');
      }
      const entries = environ?.toString('utf8').split('\0') ?? [];
      return entries.find((entry) => entry.startsWith(this.#prefix))?.slice(this.#prefix.length) ?? null;
    } catch (error) {
      if (['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return undefined;
      throw error;
    }
  }

  #forgetAllBut(found: readonly ProcessEntry[]): void {
    const living = new Set(found.map(({ pid }) => pid));
    for (const pid of this.#remembered.keys()) if (!living.has(pid)) this.#remembered.delete(pid);
  }
}

import {
  isAlive,
  type ProcessEntry,
  type ProcessIdentity,
  bootId,
  hasProcFs,
} from '../../lib/processes/processes.ts';
import { type ScannedProcess, ProcessScanner } from '../../lib/processes/process-scanner.ts';

/** Its value is the id of the job. */
export const jobIdVariable = 'LAB_JOB_ID';

/** One scanner for all who look for processes of jobs, so that many cancels at once cost as much as one. */
export const jobScanner = new ProcessScanner(jobIdVariable);

/** The living shim of a job that has no `process.json`: a process that leads its session and carries the job's id. */
export async function findShim(id: string): Promise<ProcessIdentity | undefined> {
  if (!hasProcFs) return undefined;
  // The oldest of them: a daemon that the lab CLI started leads a session of its own and carries the id as well. Start
  // times are in steps of 10 ms, so the pid decides between two that look equally old.
  const [oldest] = (await jobScanner.scan())
    .filter((entry) => entry.session === entry.pid && entry.tag === id)
    .toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  return oldest && { pid: oldest.pid, startTicks: oldest.startTicks, bootId };
}

/** The living processes of these jobs, including those that an earlier service started. */
export async function findByJob(ids: ReadonlySet<string>): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const { tag, pid } of await jobScanner.scan())
    if (typeof tag === 'string' && ids.has(tag)) found.set(tag, [...(found.get(tag) ?? []), pid]);
  return found;
}

/**
 * The processes of one job, wherever they went. A process belongs to it when it carries the job's id in its environment,
 * is in the session of the shim, or is a child of one that belongs; and what belonged once does so for ever.
 */
export class JobProcesses {
  readonly #id: string;
  readonly #shim: ProcessIdentity | undefined;
  /** Pid → start time of all that were ever seen to belong. */
  readonly #members = new Map<number, number>();

  constructor(id: string, shim: ProcessIdentity | undefined) {
    this.#id = id;
    this.#shim = shim;
    if (shim) this.#members.set(shim.pid, shim.startTicks);
  }

  isShimAlive(): boolean {
    return this.#shim !== undefined && isAlive(this.#shim);
  }

  #isMember(entry: ProcessEntry): boolean {
    return this.#members.get(entry.pid) === entry.startTicks;
  }

  /** Whether it is in the shim's session. Once the shim is gone, the number of that session may be given to another one. */
  #isInSession(entry: ScannedProcess, shimLives: boolean): boolean {
    if (entry.session !== this.#shim?.pid || entry.startTicks < this.#shim.startTicks) return false;
    // Without the shim, only processes of another user (`sudo`) are found by their session: their environment cannot be read. A
    // process that leads the session itself is another program, which got the number of the shim.
    return shimLives || (entry.tag === undefined && entry.pid !== entry.session);
  }

  /** All that live. @throws Error when the system cannot tell. */
  async survivors(): Promise<ProcessEntry[]> {
    const entries = await jobScanner.scan();
    const shimLives = entries.some((entry) => entry.pid === this.#shim?.pid && this.#isMember(entry));
    for (const entry of entries) {
      if (entry.tag === this.#id || this.#isInSession(entry, shimLives))
        this.#members.set(entry.pid, entry.startTicks);
    }
    const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
    const descends = (entry: ProcessEntry): boolean => {
      const parent = byPid.get(entry.parent);
      return parent !== undefined && parent.startTicks <= entry.startTicks && this.#isMember(parent);
    };
    // Children of children: again until nothing new is found.
    for (let before = -1; before !== this.#members.size;) {
      before = this.#members.size;
      for (const entry of entries) if (descends(entry)) this.#members.set(entry.pid, entry.startTicks);
    }
    return entries.filter((entry) => entry.pid !== process.pid && this.#isMember(entry));
  }
}

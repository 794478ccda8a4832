import { isAlive, type ProcessEntry, type ProcessIdentity } from '../../lib/processes/processes.ts';
import type { ScannedProcess } from '../../lib/processes/process-scanner.ts';
import { jobScanner } from './job-scanner.ts';

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
    // Without the shim, only what runs as another user (`sudo`) is told by its session: its environment cannot be read. A
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

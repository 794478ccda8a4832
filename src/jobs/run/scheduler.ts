/** Starts the jobs whose turn it is, and gives back their places when they have ended. */
import { messageOf } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import { lockKey, transition, type Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import type { JobQueue, PostponedStarts } from './job-queue.ts';
import type { Supervisor } from './supervisor.ts';

interface SchedulerDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly supervisor: Supervisor;
  readonly postponed: PostponedStarts;
  readonly lab: Pick<LabPort, 'commandNow'>;
  readonly log: Logger;
}

/** After a job that was to start could not be started now, or its record not be written, how long until the next try. */
const startRetryMs = 2_000;

export class Scheduler {
  readonly #deps: SchedulerDeps;
  /** `held`: what runs already is not known yet. `closed`: the service is on its way out. */
  #state: 'open' | 'held' | 'closed' = 'open';
  /** Starts under way, each until there is a process or it is known that there will be none. */
  readonly #starting = new Set<Promise<void>>();

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Starts nothing until `open`; a stop that came before stands. */
  hold(): void {
    if (this.#state === 'open') this.#state = 'held';
  }

  /** Starts what waits. */
  open(): void {
    if (this.#state === 'closed') return;
    this.#state = 'open';
    this.startNext();
  }

  /**
   * Starts nothing from now on. Resolves when each start that was under way has come to its process: a job that is
   * `running` on record without one would be lost.
   */
  async close(): Promise<void> {
    this.#state = 'closed';
    await Promise.all(this.#starting);
  }

  /** Starts all that may start now. Call it whenever a job was queued or a place became free. */
  startNext(): void {
    while (this.#state === 'open') {
      const id = this.#deps.queue.take();
      if (id === undefined) return;
      const started = deferred<void>();
      this.#starting.add(started.promise);
      void started.promise.then(() => this.#starting.delete(started.promise));
      const onStarted = (): void => {
        this.#deps.postponed.delete(id);
        started.resolve();
      };
      void this.#start(id, onStarted).finally(started.resolve);
    }
  }

  /** Gives back the place and the lock of a job that has ended, or keeps them for one that is to be tried again. */
  release(id: string): void {
    const job = this.#deps.store.summary(id);
    if (job?.state === 'queued') {
      after(startRetryMs, () => this.#putBack(id));
      return;
    }
    this.#deps.postponed.delete(id);
    this.#deps.queue.release(id);
    this.startNext();
  }

  async #start(id: string, onStarted: () => void): Promise<void> {
    const { store, supervisor, postponed, lab, log } = this.#deps;
    let job: Job;
    try {
      // On record before the process exists: a job that is queued on record has no process.
      job = await store.update(
        id,
        (current) =>
          current.state === 'queued'
            ? transition(current, 'running', {
                startedAt: new Date().toISOString(),
                command: [...(lab.commandNow?.(current) ?? current.command)],
              })
            : current,
        { mustPersist: true },
      );
    } catch (error) {
      const cause = messageOf(error);
      postponed.set(id, cause);
      log.error('a job cannot be started now, its record cannot be written', { job: id, cause });
      after(startRetryMs, () => this.#putBack(id));
      return;
    }
    if (job.state === 'running') await supervisor.run(job, onStarted);
    this.release(id);
  }

  #putBack(id: string): void {
    const { store, queue, postponed } = this.#deps;
    // The summary in memory is enough: a record that cannot be read at the moment does not cost the job its place.
    const job = store.summary(id);
    // Canceled meanwhile, and perhaps removed.
    if (job?.state !== 'queued') postponed.delete(id);
    // In one step: a later job of the same directory must not slip in between.
    queue.release(id);
    if (job?.state === 'queued') queue.add(id, lockKey(job), 'first');
    this.startNext();
  }
}

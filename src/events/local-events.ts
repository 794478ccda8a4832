/** The events of this machine: joins what brings them and those who follow them. */
import type { JobService } from '../jobs/job-service.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { Feed } from './feed.ts';
import { followFeed } from './follow-feed.ts';
import { JobSource, stateOf } from './job-source.ts';
import { LabWatch } from './lab-watch.ts';
import type { Change, FaultChange, LeaseChange } from './model/event.ts';
import type { EventService } from './model/event-service.ts';
import { ProgressWatch } from './progress-watch.ts';

export interface LocalEventsDeps {
  /** Of the journal. */
  readonly directory: string;
  readonly store: JobStore;
  readonly jobs: Pick<JobService, 'get'>;
  readonly labs: Pick<Labs, 'told' | 'readyOf' | 'forgetReady' | 'version'>;
  /** Of this program. */
  readonly version: string;
  readonly log: Logger;
}

export class LocalEvents implements EventService {
  readonly #deps: LocalEventsDeps;
  readonly #feed: Feed;
  readonly #source: JobSource;
  readonly #labs: LabWatch;
  readonly #progress: ProgressWatch;

  constructor(deps: LocalEventsDeps) {
    const { directory, store, jobs, labs, log } = deps;
    this.#deps = deps;
    const feed = (this.#feed = new Feed({ directory, log }));
    this.#source = new JobSource(store, feed);
    this.#labs = new LabWatch({ status: labs, feed, log });
    this.#progress = new ProgressWatch({ jobs, feed });
  }

  /** Call when the records were read and nothing was made of them yet. Never rejects for the sake of its files. */
  async open(): Promise<void> {
    const how = await this.#feed.open(() => stateOf(this.#deps.store));
    this.#feed.add([this.#serviceChange('started')]);
    await this.#source.open(how === 'resumed');
    await this.#feed.flush();
  }

  /** The number of the first event of this service, `started`: what an earlier service told has a lower one. */
  get first(): number {
    return this.#feed.first;
  }

  follow(options: Parameters<EventService['follow']>[0]): ReturnType<EventService['follow']> {
    return followFeed({ feed: this.#feed, labs: this.#labs, progress: this.#progress }, options);
  }

  /** Tells what becomes of the lease of a lab. */
  tellLease(
    {
      instance,
      cli,
      workdir,
    }: { readonly instance: string; readonly cli: string | null; readonly workdir: string },
    news: Omit<LeaseChange, 'at' | 'lab'>,
  ): void {
    this.#tellLab({ instance, cli, directory: workdir }, news);
  }

  /** Tells what becomes of a fault. */
  tellFault(
    {
      id: instance,
      cli,
      directory,
    }: { readonly id: string; readonly cli: string; readonly directory: string },
    news: Omit<FaultChange, 'at' | 'lab'>,
  ): void {
    this.#tellLab({ instance, cli, directory: directory === '' ? null : directory }, news);
  }

  /** Tells all who follow that the service stops. */
  async announceStop(): Promise<void> {
    this.#feed.add([this.#serviceChange('stopping')]);
    await this.#feed.flush();
  }

  /** Resolves when all changes so far are published. */
  async flush(): Promise<void> {
    await this.#feed.flush();
  }

  async close(): Promise<void> {
    this.#source.close();
    await this.#feed.close();
  }

  /** Nothing is said of the status of the lab. */
  #tellLab(
    lab: Pick<LeaseChange['lab'], 'instance' | 'cli' | 'directory'>,
    news: Omit<LeaseChange, 'at' | 'lab'> | Omit<FaultChange, 'at' | 'lab'>,
  ): void {
    const change = { ...news, at: new Date().toISOString(), lab: { ...lab, status: null, ready: null } };
    this.#feed.add([{ event: 'lab', data: change }]);
  }

  #serviceChange(change: 'started' | 'stopping'): Change {
    const { version } = this.#deps;
    return { event: 'service', data: { change, at: new Date().toISOString(), version } };
  }
}

/** Watches all labs while at least one client follows the feed, and publishes their changes. */
import { isDeepStrictEqual } from 'node:util';
import type { KnownLab } from '../labs/status/lab-status.ts';
import { messageOf } from '../lib/app-error.ts';
import { Disposer, every } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import type { Feed } from './feed.ts';
import { labKey, type Change, type EventLab } from './model/event.ts';

/** The parts of `Labs` that the watch uses. All callers share one run of the lab CLI. */
interface StatusOfLabs {
  readonly told: () => Promise<{
    readonly labs: readonly KnownLab[];
    readonly missingClis: readonly string[];
  }>;
  /** Whether all nodes of a lab are ready, from its last check; null when that is unknown. It is checked then. */
  readonly readyOf: (lab: KnownLab) => boolean | null;
  /** To be called when a lab is gone: the next lab of that name has to become ready by itself. */
  readonly forgetReady: (lab: Pick<EventLab, 'instance' | 'cli'>) => void;
  readonly version: string;
}

/** How often it is looked whether the state file has changed, or a job has started or ended: that costs next to nothing. */
const glanceMs = 500;
/** How long what the lab CLI said counts when nothing of that has changed: a look costs a run of the lab CLI. */
const lookMs = 15_000;
/** How long a new client waits for the first look. */
const patienceMs = 10_000;
/** A longer status of a lab is left out of the event; clients can request it. */
const longestStatus = 16 * 1024;

interface LabWatchDeps {
  readonly status: StatusOfLabs;
  readonly feed: Feed;
  readonly log: Logger;
}

function eventLab({ id, cli, directory, entry }: KnownLab, ready: boolean | null): EventLab {
  const isShort = JSON.stringify(entry).length <= longestStatus;
  return { instance: id, cli, directory: directory ?? null, status: isShort ? entry : null, ready };
}

/** After a restart of the service, the readiness on record stands until the lab was checked again. */
function withReady(lab: EventLab, told: string | undefined): EventLab {
  if (lab.ready !== null || told === undefined) return lab;
  const before = JSON.parse(told) as EventLab;
  return { ...lab, ready: isDeepStrictEqual(before.status, lab.status) ? before.ready : null };
}

function changeOf(lab: EventLab, told: string | undefined): 'appeared' | 'changed' | 'ready' {
  if (told === undefined) return 'appeared';
  return lab.ready === true && (JSON.parse(told) as EventLab).ready !== true ? 'ready' : 'changed';
}

/** A lab that an earlier version published with fewer fields is still the same lab. */
function withCli(lab: EventLab, seen: readonly EventLab[]): EventLab {
  if (lab.cli !== null) return lab;
  const { cli = null } = seen.find(({ instance }) => instance === lab.instance) ?? {};
  return { ...lab, cli };
}

function mayBeOf({ cli }: EventLab, clis: readonly string[]): boolean {
  return cli === null ? clis.length > 0 : clis.includes(cli);
}

export class LabWatch {
  readonly #deps: LabWatchDeps;
  #wanting = 0;
  #disposer = new Disposer();
  #looking: Promise<void> | undefined;
  /** By `labKey`, the last published text. */
  #told: Map<string, string> | undefined;
  #seenVersion = '';
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #seenAt: string | null = null;
  #isFailing = false;

  constructor(deps: LabWatchDeps) {
    this.#deps = deps;
  }

  /** When the labs were read last; null if they were not read since the first client connected. */
  get seenAt(): string | null {
    return this.#seenAt;
  }

  /** Watches until the result is called as often as this. */
  want(): () => void {
    this.#wanting += 1;
    if (this.#wanting === 1) {
      this.#disposer.add(every(glanceMs, () => this.#glance()));
      this.#glance();
    }
    return () => {
      this.#wanting -= 1;
      if (this.#wanting > 0) return;
      this.#disposer.dispose();
      this.#seenAt = null;
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    };
  }

  /** Resolves when the labs have been read or the attempt has failed. */
  async ready(): Promise<void> {
    if (this.#seenAt === null && this.#looking) await settledWithin(this.#looking, patienceMs);
  }

  #glance(): void {
    if (this.#looking) return;
    const { version } = this.#deps.status;
    const isDue = performance.now() - this.#lookedAtMs >= lookMs;
    if (version === this.#seenVersion && !isDue) return;
    this.#seenVersion = version;
    this.#lookedAtMs = performance.now();
    this.#looking = this.#look().finally(() => (this.#looking = undefined));
  }

  /** That the lab CLI fails says nothing of the labs: those that were there are taken to be there. */
  async #look(): Promise<void> {
    const { status, feed } = this.#deps;
    try {
      const { labs, missingClis } = await status.told();
      feed.add(this.#changesTo(labs, missingClis));
      await feed.flush();
      this.#noteFailure(missingClis.length > 0 ? `no answer of ${missingClis.join(', ')}` : undefined);
      if (this.#wanting > 0) this.#seenAt = new Date().toISOString();
    } catch (error) {
      this.#noteFailure(messageOf(error));
    }
  }

  /** Every few seconds, perhaps for days: once in the log is enough. */
  #noteFailure(cause: string | undefined): void {
    if (cause !== undefined && !this.#isFailing)
      this.#deps.log.warn('the labs cannot be watched now', { cause });
    this.#isFailing = cause !== undefined;
  }

  #changesTo(labs: readonly KnownLab[], missingClis: readonly string[]): Change[] {
    const at = new Date().toISOString();
    const known = this.#deps.feed.state.labs;
    const asked = labs.map((lab) => eventLab(lab, this.#deps.status.readyOf(lab)));
    const before = (this.#told ??= new Map(
      [...known.values()].map((lab) => withCli(lab, asked)).map((lab) => [labKey(lab), JSON.stringify(lab)]),
    ));
    const seen = asked.map((lab) => withReady(lab, before.get(labKey(lab))));
    const unknown = [...before].filter(([, text]) => mayBeOf(JSON.parse(text) as EventLab, missingClis));
    const now = new Map([...unknown, ...seen.map((lab) => [labKey(lab), JSON.stringify(lab)] as const)]);
    this.#told = now;
    const gone = [...before].filter(([id]) => !now.has(id)).map(([, text]) => JSON.parse(text) as EventLab);
    for (const lab of gone) this.#deps.status.forgetReady(lab);
    const news = seen.filter((lab) => before.get(labKey(lab)) !== now.get(labKey(lab)));
    return [
      ...gone.map((lab): Change => ({ event: 'lab', data: { change: 'gone', at, lab } })),
      ...news.map((lab): Change => {
        const change = changeOf(lab, before.get(labKey(lab)));
        return { event: 'lab', data: { change, at, lab } };
      }),
    ];
  }
}

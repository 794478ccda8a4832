/** The faults of the labs on this machine: sets them, heals them when their time is over, and forgets them with their lab. */
import os from 'node:os';
import { isTerminal, type Job } from '../jobs/model/job.ts';
import type { LabTopology } from '../labs/drivers/topology.ts';
import { unknownInstance } from '../labs/drivers/status-failure.ts';
import { specOf } from '../labs/model/actions.ts';
import {
  targetKey,
  targetWords,
  type Fault,
  type FaultTarget,
  type WantedFault,
} from '../labs/model/fault.ts';
import { messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import { KeyedMutex } from '../lib/async/keyed-mutex.ts';
import type { Logger } from '../lib/logger.ts';
import { bootId } from '../lib/processes/processes.ts';
import { FaultBook } from './fault-book.ts';
import { effects } from './fault-effects.ts';
import { endsOf, findLink, type FaultEnds } from './fault-ends.ts';
import { FaultNodes, type InNode } from './fault-nodes.ts';
import { isOfLab, takesDown, type FaultRecord } from './fault-record.ts';
import type { FaultChange, FaultService, LabOfCli } from './fault-service.ts';

/** For the event feed. */
export type FaultNews =
  | { readonly change: 'fault-set'; readonly fault: Fault }
  | { readonly change: 'fault-healed'; readonly fault: Fault; readonly why: string };

export interface FaultDeps {
  readonly file: string;
  readonly labs: {
    /** The labs of a lab CLI. @throws AppError when the status is unknown. */
    readonly list: (cli: string) => Promise<readonly FaultRecord['lab'][]>;
    readonly topologyOf: (lab: LabOfCli) => Promise<LabTopology>;
    readonly inNode: InNode;
  };
  readonly tell: (lab: FaultRecord['lab'], news: FaultNews) => void;
  readonly log: Logger;
  /** In ms since the machine was started. */
  readonly uptimeMs?: () => number;
}

/** The longest sleep before the next look: a lab may be taken down from a shell. */
const longestSleepMs = 30_000;
const retryMs = 5_000;

const keyOf = ({ id, cli }: LabOfCli): string => `${cli} ${id}`;

function isSame(fault: Fault, wanted: WantedFault): boolean {
  const { kind, node, impairment } = wanted;
  const isLike = fault.kind === kind && fault.node === node;
  return isLike && JSON.stringify(fault.impairment) === JSON.stringify(impairment);
}

export class LabFaults implements FaultService {
  readonly #deps: FaultDeps;
  readonly #book: FaultBook;
  readonly #nodes: FaultNodes;
  readonly #turns = new KeyedMutex();
  #stopTimer = (): void => undefined;
  #isStarted = false;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
    this.#book = new FaultBook(deps);
    this.#nodes = new FaultNodes(deps.labs.inNode);
  }

  /** @throws Error when the disk refuses. */
  async open(): Promise<void> {
    await this.#book.load();
  }

  /** Heals what was due meanwhile, and what an earlier service has left half set. */
  start(): void {
    this.#isStarted = true;
    void this.look();
  }

  /** Faults stay, and so does their end. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopTimer();
    await this.#book.saveRest();
  }

  /** How many are set. */
  get count(): number {
    return this.#book.records.length;
  }

  of(lab: LabOfCli): readonly Fault[] {
    return this.#book.records.filter(isOfLab(lab)).flatMap(({ fault, isSet }) => (isSet ? [fault] : []));
  }

  async set(lab: LabOfCli, wanted: WantedFault, change: FaultChange): Promise<Fault> {
    const topology = await this.#deps.labs.topologyOf(lab);
    const kind = wanted.link === null ? (wanted.kind as 'isolated') : 'link';
    const ends = endsOf(topology, { link: wanted.link, node: wanted.node, kind });
    return this.#turns.run(keyOf(lab), async () => {
      change.check();
      const record = await this.#setNow(lab, { ...wanted, ...ends }, change.user);
      this.#arm(false);
      return record.fault;
    });
  }

  async heal(lab: LabOfCli, target: FaultTarget | undefined, { user, check }: FaultChange): Promise<void> {
    // The status tells a lab that was never there from one without faults.
    await this.#seen(lab);
    const link = target?.link;
    const name = typeof link === 'string' ? findLink(await this.#deps.labs.topologyOf(lab), link).id : null;
    await this.#turns.run(keyOf(lab), async () => {
      check();
      const meant = target && targetKey({ link: name, node: target.node });
      const all = this.#book.records.filter(isOfLab(lab));
      const records = all.filter(({ fault }) => meant === undefined || targetKey(fault) === meant);
      const why = user === null ? 'a user healed it' : `${user} healed it`;
      // One after the other: the last one that holds an interface down brings it back.
      for (const record of records) await this.#healOrForget(record, why);
    });
  }

  /** To be called when a job has changed: it may have taken the lab away, or made its nodes anew. */
  noteJob(job: Pick<Job, 'state' | 'workdir' | 'action'>): void {
    if (!isTerminal(job.state) || !specOf(job.action).locksWorkdir) return;
    const records = this.#book.records.filter(({ lab }) => lab.directory === job.workdir);
    for (const { lab } of records.slice(0, 1))
      void this.#turns.run(keyOf(lab), async () => this.#renewAll(lab));
  }

  /** Does all that is due now. Never rejects. */
  async look(): Promise<void> {
    if (!this.#isStarted) return;
    this.#stopTimer();
    const done = this.#book.records.map(async (record) =>
      this.#turns.run(keyOf(record.lab), async () => this.#lookAt(record)),
    );
    const isFailed = (await Promise.all(done)).includes(false);
    await this.#book.saveRest();
    this.#arm(isFailed);
  }

  /** False when it must be tried again soon. */
  async #lookAt(record: FaultRecord): Promise<boolean> {
    if (!this.#book.has(record)) return true;
    try {
      if (!(await this.#isThere(record))) await this.#forget(record);
      else if (this.#isDue(record)) await this.#healNow(record, this.#whyDue(record));
      return true;
    } catch (error) {
      if (!this.#isDue(record)) return true;
      const { lab, fault } = record;
      const about = { instance: lab.id, fault: targetWords(fault), cause: messageOf(error) };
      this.#deps.log.warn('a fault cannot be healed now and is tried again', about);
      return false;
    }
  }

  #arm(isFailed: boolean): void {
    this.#stopTimer();
    const { records } = this.#book;
    if (!this.#isStarted || records.length === 0) return;
    const ends = records.flatMap(({ endsAtMs }) => (endsAtMs === null ? [] : [endsAtMs - this.#uptimeMs]));
    const nextMs = isFailed ? retryMs : Math.max(0, Math.min(longestSleepMs, ...ends));
    this.#stopTimer = after(nextMs, () => void this.look());
  }

  #isDue({ isSet, endsAtMs, bootId: boot }: FaultRecord): boolean {
    return !isSet || boot !== bootId || (endsAtMs !== null && endsAtMs <= this.#uptimeMs);
  }

  #whyDue({ isSet, bootId: boot }: FaultRecord): string {
    if (boot !== bootId) return 'the machine was started again';
    return isSet ? 'its time is over' : 'the service stopped while it was set';
  }

  get #uptimeMs(): number {
    return this.#deps.uptimeMs?.() ?? os.uptime() * 1_000;
  }

  /** @throws AppError `instance-not-found`. */
  async #seen({ id, cli }: LabOfCli): Promise<FaultRecord['lab']> {
    const found = (await this.#deps.labs.list(cli)).find((lab) => lab.id === id);
    if (found === undefined) throw unknownInstance(id);
    return found;
  }

  /** Whether the lab is the one that the fault was set in, and was not started anew. */
  async #isThere({ lab }: FaultRecord): Promise<boolean> {
    const labs = await this.#deps.labs.list(lab.cli);
    return labs.some(
      ({ id, run, directory }) => id === lab.id && run === lab.run && directory === lab.directory,
    );
  }

  async #setNow(lab: LabOfCli, wanted: WantedFault & FaultEnds, user: string | null): Promise<FaultRecord> {
    const all = this.#book.records.filter(isOfLab(lab));
    const before = all.filter(({ fault }) => targetKey(fault) === targetKey(wanted));
    const seen = await this.#seen(lab);
    const record = this.#recordOf(seen, wanted, user);
    const [same] = before.filter((one) => one.isSet && isSame(one.fault, wanted));
    if (same && effects[wanted.kind].isOnce !== true && (await this.#isThere(same)))
      return this.#extend(same, record);
    const parts = await this.#nodes.read(record, wanted.interfaces, all);
    const noted = { ...record, parts };
    await this.#book.add(noted);
    try {
      for (const one of before) await this.#healOrForget(one, 'another fault took its place');
      await this.#nodes.set(noted);
      const set = { ...noted, isSet: true };
      await this.#book.replace(noted, set);
      this.#note(set, { change: 'fault-set', fault: set.fault });
      return set;
    } catch (error) {
      // If that fails, too, the next look repeats it.
      await this.#healNow(noted, 'it could not be set').catch(() => undefined);
      throw error;
    }
  }

  #recordOf(lab: FaultRecord['lab'], wanted: WantedFault & FaultTarget, user: string | null): FaultRecord {
    const { link, node, kind, process, impairment, ttlSeconds } = wanted;
    const [now, ttlMs] = [Date.now(), ttlSeconds === undefined ? null : ttlSeconds * 1_000];
    const setAt = new Date(now).toISOString();
    const expiresAt = ttlMs === null ? null : new Date(now + ttlMs).toISOString();
    return {
      fault: { link, node, kind, process, impairment, user, setAt, expiresAt },
      lab,
      parts: [],
      isSet: false,
      bootId,
      endsAtMs: ttlMs === null ? null : this.#uptimeMs + ttlMs,
    };
  }

  /** The same fault gets another end, and is not set again. */
  async #extend(before: FaultRecord, { fault, endsAtMs }: FaultRecord): Promise<FaultRecord> {
    const { user, expiresAt } = fault;
    const extended = { ...before, endsAtMs, fault: { ...before.fault, user, expiresAt } };
    await this.#book.replace(before, extended);
    this.#note(extended, { change: 'fault-set', fault: extended.fault });
    return extended;
  }

  async #healOrForget(record: FaultRecord, why: string): Promise<void> {
    if (await this.#isThere(record)) await this.#healNow(record, why);
    else await this.#forget(record);
  }

  /** @throws AppError for what stays broken, and on record. */
  async #healNow(record: FaultRecord, why: string): Promise<void> {
    const { lab, fault } = record;
    const others = this.#book.records.filter((one) => one !== record && isOfLab(lab)(one));
    const said = await this.#nodes.heal(record, others);
    await this.#book.drop(record);
    for (const words of said)
      this.#deps.log.warn('a fault was healed, but not all came back', { instance: lab.id, cause: words });
    if (record.isSet) this.#note(record, { change: 'fault-healed', fault, why });
  }

  async #forget(record: FaultRecord): Promise<void> {
    await this.#book.drop(record);
    if (record.isSet)
      this.#note(record, { change: 'fault-healed', fault: record.fault, why: 'the lab was stopped' });
  }

  /** After a job. Nodes that were made anew, or configured, have interfaces that are up. Never rejects. */
  async #renewAll(lab: LabOfCli): Promise<void> {
    for (const record of this.#book.records.filter(isOfLab(lab)))
      await this.#renew(record).catch((error: unknown) => {
        const about = { instance: lab.id, fault: targetWords(record.fault), cause: messageOf(error) };
        this.#deps.log.warn('a fault could not be set again after a job', about);
      });
  }

  async #renew(record: FaultRecord): Promise<void> {
    if (!(await this.#isThere(record))) return this.#forget(record);
    const { fault } = record;
    if (!record.isSet || effects[fault.kind].isOnce === true) return undefined;
    const parts = takesDown(fault) ? await this.#nodes.readAgain(record) : record.parts;
    const renewed = { ...record, parts };
    await this.#book.replace(record, renewed);
    await this.#nodes.set(renewed);
    return undefined;
  }

  #note({ lab, fault }: FaultRecord, news: FaultNews): void {
    const { kind, user, expiresAt } = fault;
    const about = { instance: lab.id, fault: targetWords(fault), kind, user, expiresAt };
    const words = { 'fault-set': 'a fault was set', 'fault-healed': 'a fault was healed' } as const;
    this.#deps.log.info(words[news.change], 'why' in news ? { ...about, why: news.why } : about);
    this.#deps.tell(lab, news);
  }
}

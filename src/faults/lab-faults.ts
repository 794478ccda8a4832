/** The faults of the labs on this machine: set and healed for users, healed when their time is over, forgotten with their lab. */
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
import { AppError, messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import { KeyedMutex } from '../lib/async/keyed-mutex.ts';
import type { Logger } from '../lib/logger.ts';
import { bootId } from '../lib/processes/processes.ts';
import { FaultBook } from './fault-book.ts';
import { FaultChanges, type FaultNews } from './fault-changes.ts';
import { effects } from './fault-effects.ts';
import { assertNode, endsOf, findLink } from './fault-ends.ts';
import { FaultNodes, type InNode } from './fault-nodes.ts';
import type { FaultRecord, LabOfRecord } from './fault-record.ts';
import type { FaultChange, FaultService, LabOfCli } from './fault-service.ts';

export interface FaultDeps {
  readonly file: string;
  readonly labs: {
    /** The labs of a lab CLI; `isHeld`: a job sees to it that none comes or goes. @throws AppError when the status is unknown. */
    readonly list: (cli: string, isHeld: boolean) => Promise<readonly LabOfRecord[]>;
    readonly topologyOf: (lab: LabOfCli) => Promise<LabTopology>;
    readonly inNode: InNode;
  };
  /** Whether a job that set a fault is there to heal it. */
  readonly isRunning: (job: string) => boolean;
  readonly tell: (lab: LabOfRecord, news: FaultNews) => void;
  readonly log: Logger;
  /** In ms since the machine was started. */
  readonly uptimeMs?: () => number;
}

/** The longest sleep before the next look at a lab: it may be taken down from a shell. */
const longestSleepMs = 30_000;
const retryMs = 5_000;

const keyOf = ({ id, cli }: LabOfCli): string => `${cli} ${id}`;

function isSame(fault: Fault, { kind, node, impairment }: WantedFault): boolean {
  const isLike = fault.kind === kind && fault.node === node;
  return isLike && JSON.stringify(fault.impairment) === JSON.stringify(impairment);
}

export class LabFaults implements FaultService {
  readonly #deps: FaultDeps;
  readonly #book: FaultBook;
  readonly #changes: FaultChanges;
  /** One for each lab. */
  readonly #turns = new KeyedMutex();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #timers = new Map<string, () => void>();
  #isStarted = false;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
    const book = (this.#book = new FaultBook(deps));
    this.#changes = new FaultChanges({ ...deps, book, nodes: new FaultNodes(deps.labs.inNode) });
  }

  /** @throws Error when the disk refuses. */
  async open(): Promise<void> {
    await this.#book.load();
  }

  /** Heals what was due meanwhile, and what an earlier service has left half done. */
  start(): void {
    this.#isStarted = true;
    void this.look();
  }

  /** Faults stay, and so does their end. Resolves when no change is under way. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    for (const stopTimer of this.#timers.values()) stopTimer();
    await Promise.allSettled(this.#underWay);
    await this.#book.saveRest();
  }

  /** How many there are. */
  get count(): number {
    return this.#book.records.length;
  }

  of(lab: LabOfCli): readonly Fault[] {
    return this.#book.of(lab).flatMap(({ fault, state }) => (state === 'setting' ? [] : [fault]));
  }

  async set(lab: LabOfCli, wanted: WantedFault, change: FaultChange): Promise<Fault> {
    const { link, node, interfaces } = endsOf(await this.#deps.labs.topologyOf(lab), wanted);
    return this.#inTurn(lab, async () => {
      change.check();
      await this.#forgetOld(lab, change);
      this.#assertAlone(lab, change);
      const record = this.#recordOf(await this.#seen(lab, change), { ...wanted, link, node }, change);
      const [same] = this.#book
        .of(lab)
        .filter((one) => targetKey(one.fault) === targetKey(record.fault) && isSame(one.fault, wanted));
      // A user may kill a process again. A job asks again when the service was killed before its answer.
      const isRepeated =
        same?.state === 'set' && (effects[wanted.kind].isOnce !== true || change.job !== undefined);
      if (isRepeated) return this.#changes.extend(same, record);
      return this.#changes.set(record, interfaces);
    });
  }

  /** Those that users have set, and no job heals. */
  ofUsers(lab: LabOfCli): readonly Fault[] {
    return this.#book.of(lab).flatMap(({ fault, job }) => (job === null ? [fault] : []));
  }

  /** Finds the ways into the nodes that are up, so that the faults of a job take less time. @throws AppError `instance-not-found`. */
  async prepare(lab: LabOfCli, change: FaultChange): Promise<void> {
    const { topologyOf, inNode } = this.#deps.labs;
    await this.#seen(lab, change);
    const noted = async (): Promise<void> => Promise.resolve();
    for (const { name } of (await topologyOf(lab)).nodes)
      await inNode(lab, name, noted).catch(() => undefined);
  }

  /** A job measures the faults that it sets: others would change its result. @throws AppError `conflict`. */
  #assertAlone(lab: LabOfCli, { job }: FaultChange): void {
    for (const { job: other, fault } of this.#book.of(lab)) {
      if (other === (job?.id ?? null) || this.#isAbandoned(other)) continue;
      const whose =
        other === null
          ? `there is a fault already (${targetWords(fault)} ${fault.kind}): heal it`
          : `the scenario ${other} breaks and heals it: cancel that`;
      throw new AppError('conflict', `the lab ${lab.id} is not free: ${whose} first`);
    }
  }

  async heal(lab: LabOfCli, target: FaultTarget | undefined, change: FaultChange): Promise<void> {
    // The status tells a lab that was never there from one without faults.
    await this.#seen(lab, change);
    const meant = target && (await this.#keyOf(lab, target));
    await this.#inTurn(lab, async () => {
      change.check();
      await this.#forgetOld(lab, change);
      if (change.job === undefined) this.#assertAlone(lab, change);
      const all = this.#book.of(lab);
      const records = all.filter(({ fault }) => meant === undefined || targetKey(fault) === meant);
      const why = `${change.job?.id ?? change.user ?? 'a user'} healed it`;
      const failures: unknown[] = [];
      // One after the other: the last one that holds an interface down brings it back.
      for (const record of records)
        await this.#changes.heal(record, why).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    });
  }

  /** @throws AppError `link-not-found`, `node-not-found`. */
  async #keyOf(lab: LabOfCli, { link, node }: FaultTarget): Promise<string> {
    const topology = await this.#deps.labs.topologyOf(lab);
    if (link !== null) return targetKey({ link: findLink(topology, link).id, node });
    assertNode(topology, node ?? '');
    return targetKey({ link, node });
  }

  /** To be called when a job has changed: it may have taken the lab away, or made its nodes anew. */
  noteJob(job: Pick<Job, 'state' | 'workdir' | 'action'>): void {
    if (!this.#isStarted || !isTerminal(job.state) || !specOf(job.action).locksWorkdir) return;
    const labs = this.#book.records
      .map(({ lab }) => lab)
      .filter(({ directory }) => directory === job.workdir);
    for (const lab of new Map(labs.map((one) => [keyOf(one), one])).values())
      void this.#inTurn(lab, async () => this.#renewAll(lab)).catch((error: unknown) => {
        const about = { instance: lab.id, cause: messageOf(error) };
        this.#deps.log.warn('faults could not be set again after a job', about);
      });
  }

  async #renewAll(lab: LabOfCli): Promise<void> {
    for (const record of this.#book.of(lab)) if (this.#dueInMs(record) <= 0) await this.#settle(record);
    await this.#forgetOld(lab);
    await this.#changes.renew(this.#book.of(lab));
  }

  /** Forgets the faults of an earlier start of the lab. */
  async #forgetOld(lab: LabOfCli, { job }: Pick<FaultChange, 'job'> = {}): Promise<void> {
    for (const record of this.#book.of(lab))
      if (!(await this.#isThere(record, job !== undefined))) await this.#changes.forget(record);
  }

  /** Changes the faults of one lab, and looks at it again when that is due. */
  async #inTurn<T>(lab: LabOfCli, change: () => Promise<T>): Promise<T> {
    const turn = this.#turns.run(keyOf(lab), change);
    this.#underWay.add(turn);
    return turn.finally(() => {
      this.#underWay.delete(turn);
      this.#arm(lab);
    });
  }

  /** Does all that is due now. Never rejects. */
  async look(): Promise<void> {
    const labs = new Map(this.#book.records.map(({ lab }) => [keyOf(lab), lab]));
    await Promise.all([...labs.values()].map(async (lab) => this.#lookAt(lab)));
    await this.#book.saveRest();
  }

  /** Labs do not wait for each other. */
  async #lookAt(lab: LabOfCli): Promise<void> {
    if (!this.#isStarted) return;
    await this.#inTurn(lab, async () => {
      for (const record of this.#book.of(lab))
        await this.#settle(record).catch((error: unknown) => {
          const about = { instance: lab.id, fault: targetWords(record.fault), cause: messageOf(error) };
          this.#deps.log.warn('a fault cannot be healed now and is tried again', about);
        });
    });
  }

  async #settle(record: FaultRecord): Promise<void> {
    const isDue = this.#dueInMs(record) <= 0;
    const isThere = await this.#isThere(record).catch((error: unknown) => {
      if (isDue) throw error;
      return true;
    });
    if (!isThere) await this.#changes.forget(record);
    else if (isDue) await this.#changes.heal(record, this.#whyDue(record));
  }

  /** A fault that is due still has failed to heal. */
  #arm(lab: LabOfCli): void {
    const key = keyOf(lab);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    const dueInMs = this.#book.of(lab).map((record) => this.#dueInMs(record));
    if (!this.#isStarted || dueInMs.length === 0) return;
    const nextMs = Math.min(longestSleepMs, ...dueInMs.map((ms) => (ms <= 0 ? retryMs : ms)));
    this.#timers.set(
      key,
      after(nextMs, () => void this.#lookAt(lab)),
    );
  }

  #dueInMs({ state, endsAtMs, bootId: boot, job }: FaultRecord): number {
    if (state !== 'set' || boot !== bootId || this.#isAbandoned(job)) return 0;
    return endsAtMs === null ? Number.POSITIVE_INFINITY : endsAtMs - this.#uptimeMs;
  }

  #isAbandoned(job: string | null): boolean {
    return job !== null && !this.#deps.isRunning(job);
  }

  #whyDue({ state, bootId: boot, job }: FaultRecord): string {
    if (boot !== bootId) return 'the machine was started again';
    if (this.#isAbandoned(job)) return `${job} has ended`;
    return state === 'set' ? 'its time is over' : 'the service was stopped while it was set or healed';
  }

  get #uptimeMs(): number {
    return this.#deps.uptimeMs?.() ?? os.uptime() * 1_000;
  }

  /** @throws AppError `instance-not-found`. */
  async #seen({ id, cli }: LabOfCli, { job }: FaultChange): Promise<LabOfRecord> {
    const found = (await this.#deps.labs.list(cli, job !== undefined)).find((lab) => lab.id === id);
    // Another user may have a lab of that name by now, in another directory.
    if (found === undefined || (job !== undefined && found.directory !== job.workdir))
      throw unknownInstance(id);
    return found;
  }

  /** Whether the lab is the one that the fault was set in, and was not started anew. */
  async #isThere({ lab }: FaultRecord, isHeld = false): Promise<boolean> {
    const labs = await this.#deps.labs.list(lab.cli, isHeld);
    return labs.some(
      ({ id, run, directory }) => id === lab.id && run === lab.run && directory === lab.directory,
    );
  }

  #recordOf(lab: LabOfRecord, wanted: WantedFault, { user, job }: FaultChange): FaultRecord {
    const { link, node, kind, process, impairment, ttlSeconds } = wanted;
    const [now, ttlMs] = [Date.now(), ttlSeconds === undefined ? null : ttlSeconds * 1_000];
    const setAt = new Date(now).toISOString();
    const expiresAt = ttlMs === null ? null : new Date(now + ttlMs).toISOString();
    return {
      fault: { link, node, kind, process, impairment, user, setAt, expiresAt },
      lab,
      job: job?.id ?? null,
      parts: [],
      state: 'setting',
      bootId,
      endsAtMs: ttlMs === null ? null : this.#uptimeMs + ttlMs,
    };
  }
}

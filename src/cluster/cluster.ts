/** This host as a part of its cluster: joins what tells of it, what finds the others, and what hands work over. */
import { randomUUID } from 'node:crypto';
import type { JobService } from '../jobs/job-service.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { settledWithin } from '../lib/settled-within.ts';
import { Bindings, type BoundKind } from './bindings.ts';
import { Dispatch } from './dispatch.ts';
import { HostFile } from './host-file.ts';
import { JobIndex } from './job-index.ts';
import type { ClusterService, PassedRequest, WantedJob } from './model/cluster-service.ts';
import type { Host } from './model/host.ts';
import type { JobRow } from './model/job-row.ts';
import type { Answer, Asker, Message } from './model/message.ts';
import { Passes } from './passes.ts';
import { Placement } from './placement.ts';
import { RedisClock } from './redis-clock.ts';
import { Recollection } from './recollection.ts';
import { RedisLink } from './redis-link.ts';
import { Registry, type OwnFacts } from './registry.ts';
import { Retelling, type OwnKnowledge } from './retelling.ts';
import { Signatures } from './signature.ts';
import { problemOf, Submissions } from './submissions.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;
type Claim = Parameters<JobService['submit']>[1]['claim'];

/** How long a reply waits for Redis to take the row of a new job. */
const indexedWithinMs = 1_000;

/** What the cluster needs of this host. */
export interface OwnHost extends OwnKnowledge {
  readonly facts: () => Omit<OwnFacts, 'isDraining'>;
  readonly rowOf: (id: string) => JobRow | undefined;
  readonly isOwnPlace: (job: Pick<WantedJob, 'workspace' | 'directory' | 'instance'>) => Promise<boolean>;
  /** Takes a job for somebody who has come to another host. @throws AppError. */
  readonly submit: (body: unknown, asker: Asker, claim: Claim) => Promise<Accepted>;
  readonly cancel: (id: string, asker: Asker, force: boolean) => Promise<unknown>;
  /** Somebody who is no host of this cluster has written a message. */
  readonly onForged: (nonce: string) => void;
}

interface ClusterDeps {
  readonly redisUrl: string;
  readonly secret: string;
  readonly dataDir: string;
  readonly own: OwnHost;
  readonly log: Logger;
}

export class Cluster implements ClusterService {
  readonly #own: OwnHost;
  readonly #log: Logger;
  readonly #file: HostFile;
  readonly #link: RedisLink;
  readonly #registry: Registry;
  readonly #bindings: Bindings;
  readonly #placement = new Placement();
  readonly #index: JobIndex;
  readonly #dispatch: Dispatch;
  readonly #passes: Passes;
  readonly #submissions: Submissions;
  readonly #clock = new RedisClock();
  readonly #run = randomUUID();
  readonly #retelling: Retelling;

  constructor({ redisUrl, secret, dataDir, own, log }: ClusterDeps) {
    this.#own = own;
    this.#log = log;
    const ownId = (): string => this.#file.id;
    const clock = this.#clock;
    const signatures = new Signatures(secret);
    const file = (this.#file = new HostFile(dataDir, log));
    const link = (this.#link = new RedisLink(redisUrl, log));
    const facts = () => ({ ...own.facts(), isDraining: file.isDraining });
    const registry = (this.#registry = new Registry({
      id: ownId,
      run: this.#run,
      link,
      clock,
      signatures,
      recollection: new Recollection({ link, clock, isReturning: () => file.isReturning }),
      facts,
      log,
    }));
    const bindings = (this.#bindings = new Bindings(link));
    const hostIds = () => registry.hosts.map(({ id }) => id);
    const index = (this.#index = new JobIndex({ ownId, hostIds, link, signatures, rowOf: own.rowOf, log }));
    this.#retelling = new Retelling({ ownId, run: this.#run, own, link, bindings, index, log });
    const take = async (message: Message) => this.#take(message);
    const dispatch = (this.#dispatch = new Dispatch({
      ownId,
      link,
      signatures,
      take,
      onForged: own.onForged,
      log,
    }));
    this.#passes = new Passes({ ownId, clock, signatures });
    const { isOwnPlace } = own;
    const placement = this.#placement;
    this.#submissions = new Submissions({
      ownId,
      registry,
      bindings,
      placement,
      dispatch,
      clock,
      isOwnPlace,
      onUntold: () => this.#retell(),
    });
  }

  /** Reads the id of this host. @throws Error when the disk refuses. */
  async prepare(): Promise<void> {
    await this.#file.open();
  }

  /** Joins the cluster, or does so as soon as Redis is there. @throws Error with a sentence when another host has the name of this one. */
  async open(): Promise<void> {
    await this.#link.open();
    // It may come back without what it had.
    this.#link.onReady(() => this.#retelling.doubt());
    this.#registry.on('told', () => void this.#retelling.writeAll());
    await this.#registry.open();
    this.#dispatch.open();
    this.#registry.on('ousted', () => void this.#dispatch.close());
  }

  async close(): Promise<void> {
    await this.#dispatch.close();
    await settledWithin(this.#index.flush(), indexedWithinMs);
    await this.#registry.close();
    this.#link.close();
  }

  /** A job of this host is new, has changed or is removed. */
  noteJob(id: string): void {
    this.#index.note(id);
    this.#registry.noteChange();
  }

  /** Redis is to be told all again, as soon as it is there. */
  #retell(): void {
    this.#retelling.doubt();
    this.#registry.noteChange();
  }

  /** A place is this host's own from now on, unless another has it. */
  async noteOwn(kind: BoundKind, name: string): Promise<void> {
    await this.#bindings.bind(kind, name, this.id).catch(() => this.#retelling.doubt());
  }

  /** A place is nobody's any more, unless it is wanted here again by the time that Redis can be told. */
  async noteFree(kind: BoundKind, name: string, isWanted: () => boolean): Promise<void> {
    // Whoever asks again for what was done here must still find this host.
    await this.#retelling.writeAll();
    if (isWanted()) return;
    // Without Redis, it stays this host's until the next lab is there.
    await this.#bindings.release(kind, name, this.id).catch(() => undefined);
  }

  async #take(message: Message): Promise<Answer['outcome']> {
    const { nonce, asker } = message;
    try {
      if (message.kind === 'cancel') {
        await this.#own.cancel(message.job, asker, message.force);
        return { kind: 'done' };
      }
      const isLate = (this.#clock.nowMs ?? 0) > message.endsAtMs;
      if (isLate || this.#registry.isOusted)
        throw new AppError('host-unavailable', 'the host came to this request too late; nothing was started');
      const claim = message.claim ?? { key: `cluster:${nonce}`, fingerprint: nonce };
      const { job, isReplayed } = await this.#own.submit(message.body, asker, {
        ...claim,
        user: asker?.name ?? null,
      });
      await this.indexed(job.id);
      return { kind: 'accepted', job, isReplayed: isReplayed && message.claim !== null };
    } catch (error) {
      if (error instanceof AppError) return problemOf(error);
      this.#log.error('a message of another host failed unexpectedly', { cause: messageOf(error) });
      return problemOf(
        new AppError('internal', 'an internal error occurred; the log of that host has the details'),
      );
    }
  }

  get id(): string {
    return this.#file.id;
  }

  get name(): string {
    return this.#own.facts().name;
  }

  get hosts(): readonly Host[] {
    return this.#registry.hosts;
  }

  get peers(): readonly Host[] {
    return this.#registry.peers;
  }

  host(named: string): Host {
    return this.#registry.get(named);
  }

  async drain(isDraining: boolean): Promise<Host> {
    await this.#file.setDraining(isDraining);
    this.#registry.noteChange();
    await this.#registry.refresh();
    return this.host(this.id);
  }

  async forget(host: Host): Promise<void> {
    if (host.state !== 'away')
      throw new AppError('conflict', `the host ${host.name} answers: stop it first, or drain it`);
    await this.#dispatch.forget(host.id);
    await this.#bindings.releaseAll(host.id);
    await this.#index.forget(host.id);
    await this.#registry.forget(host);
  }

  awaySignal(id: string): AbortSignal {
    return this.#registry.awaySignal(id);
  }

  /** @throws AppError `cluster-unavailable` when Redis may have lost what is asked for. */
  #notFound(): undefined {
    if (this.#registry.isSettled) return undefined;
    const message = 'Redis has lost what it knew, and the hosts tell it anew: try again in a moment';
    throw new AppError('cluster-unavailable', message, { retryAfterSeconds: 5 });
  }

  async hostOfJob(id: string): Promise<Host | undefined> {
    const host = this.#own.rowOf(id) ? this.id : await this.#index.hostOf(id);
    return this.hosts.find((one) => one.id === host) ?? this.#notFound();
  }

  async hostOfWorkspace(name: string): Promise<Host | undefined> {
    if (await this.#own.isOwnPlace({ workspace: name, directory: undefined, instance: undefined }))
      return this.host(this.id);
    const host = await this.#bindings.hostOf('workspace', name);
    return this.hosts.find((one) => one.id === host);
  }

  async hostForWorkspace(name: string, wanted: string | undefined): Promise<Host> {
    const known = await this.hostOfWorkspace(name);
    if (known) return known;
    const [best] = this.#placement.candidates(this.hosts, { labels: [] });
    const host = wanted === undefined ? (best ?? this.host(this.id)) : this.host(wanted);
    this.#placement.noteGiven(host);
    const { holder } = await this.#bindings.bind('workspace', name, host.id);
    return this.host(holder);
  }

  hostsOfLab(instance: string): readonly Host[] {
    return this.hosts.filter(({ labs }) => labs.some((lab) => lab.instance === instance));
  }

  async row(id: string, host: Host): Promise<JobRow | undefined> {
    return (await this.#index.row(id, host.id)) ?? this.#notFound();
  }

  async rows(host: Host, page: Parameters<ClusterService['rows']>[1]): Promise<readonly JobRow[]> {
    return this.#index.rows(host.id, page);
  }

  async indexed(id: string): Promise<void> {
    this.#index.note(id);
    await settledWithin(this.#index.flush(), indexedWithinMs);
  }

  async submit(job: WantedJob, here: () => Promise<Accepted>): Promise<Accepted> {
    return this.#submissions.submit(job, here);
  }

  async cancelLater(
    id: string,
    host: Host,
    { asker, force }: Parameters<ClusterService['cancelLater']>[2],
  ): Promise<void> {
    const nonce = randomUUID();
    await this.#dispatch.post({ kind: 'cancel', nonce, from: this.id, to: host.id, asker, job: id, force });
  }

  passFor(host: Host, request: PassedRequest, asker: Asker): string | undefined {
    return this.#passes.issue(host.id, request, asker);
  }

  redeem(pass: string, request: PassedRequest): { readonly asker: Asker } | undefined {
    return this.#passes.redeem(pass, request);
  }
}

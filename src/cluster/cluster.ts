/** This host as a part of its cluster: joins what tells of it, what finds the others, and what hands work over. */
import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { JobService } from '../jobs/job-service.ts';
import { AppError } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { AnsweredMessages } from './answered-messages.ts';
import { Bindings, type BoundKind } from './bindings.ts';
import { Dispatch } from './dispatch.ts';
import { HostConnections } from './host-connections.ts';
import { HostUsage } from './host-usage.ts';
import { HostFile } from './host-file.ts';
import { JobIndex } from './job-index.ts';
import type { ClusterService, PassedRequest, WantedJob } from './model/cluster-service.ts';
import type { Host, SeenHost } from './model/host.ts';
import type { JobRow } from './model/job-row.ts';
import type { Asker } from './model/message.ts';
import type { OwnHost } from './own-host.ts';
import { Passes } from './passes.ts';
import { Placement } from './placement.ts';
import { Reach } from './reach.ts';
import { RedisClock } from './redis-clock.ts';
import { RestoreFromRedis } from './restore-from-redis.ts';
import { RedisLink } from './redis-link.ts';
import { Registry } from './registry.ts';
import { RepublishState } from './republish-state.ts';
import { seenHosts } from './seen-hosts.ts';
import { Signatures } from './signature.ts';
import { Submissions } from './submissions.ts';
import { ClaimJob } from './claim-job.ts';
import { messageHandlers } from './take-message.ts';
import { WorkspaceHosts } from './workspace-hosts.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;

/** How long a reply waits for Redis to take the row of a new job. */
const indexedWithinMs = 1_000;
/** A stop of the service has eight seconds for all of it. */
const closeWithinMs = 2_500;

interface ClusterDeps {
  readonly redisUrl: string;
  readonly secret: string;
  readonly dataDir: string;
  readonly own: OwnHost;
  readonly log: Logger;
}

export class Cluster implements ClusterService {
  readonly #own: OwnHost;
  readonly #file: HostFile;
  readonly #link: RedisLink;
  readonly #registry: Registry;
  readonly #bindings: Bindings;
  readonly #index: JobIndex;
  readonly #answered: AnsweredMessages;
  readonly #dispatch: Dispatch;
  readonly #passes: Passes;
  readonly #claimJob: ClaimJob;
  readonly #submissions: Submissions;
  readonly #clock = new RedisClock();
  readonly #connections = new HostConnections();
  readonly #run = randomUUID();
  readonly #republishState: RepublishState;
  readonly #reach: Reach;
  readonly #workspaces: WorkspaceHosts;
  readonly usage: HostUsage;

  constructor({ redisUrl, secret, dataDir, own, log }: ClusterDeps) {
    this.#own = own;
    const ownId = (): string => this.#file.id;
    const clock = this.#clock;
    const signatures = new Signatures(secret);
    const file = (this.#file = new HostFile(dataDir, log));
    const link = (this.#link = new RedisLink(redisUrl, log));
    const facts = () => ({
      ...own.facts(),
      isDraining: file.isDraining,
      cannotReach: [...this.#reach.cannotReach],
    });
    const registry = (this.#registry = new Registry({
      id: ownId,
      run: this.#run,
      link,
      clock,
      signatures,
      restoreFromRedis: new RestoreFromRedis({ link, clock, isReturning: () => file.isReturning }),
      facts,
      log,
    }));
    const bindings = (this.#bindings = new Bindings(link));
    const index = (this.#index = new JobIndex({ ownId, link, signatures, rowOf: own.rowOf, log }));
    this.usage = new HostUsage({ ownId, own, link, signatures, registry });
    this.#republishState = new RepublishState({ ownId, run: this.#run, own, link, bindings, index, log });
    const indexed = async (id: string) => this.indexed(id);
    const isOusted = () => registry.isOusted;
    const { isOwnPlace, isOwnKey, hasRoom } = own;
    const claimJob = (this.#claimJob = new ClaimJob({ ownId, bindings, isOwnPlace, isOwnKey, hasRoom }));
    const answered = (this.#answered = new AnsweredMessages(dataDir, log));
    const handlers = messageHandlers({ own, answered, clock, claimJob, isOusted, indexed, log });
    const dispatch = (this.#dispatch = new Dispatch({ ownId, link, signatures, log, ...handlers }));
    this.#passes = new Passes({ ownId, clock, signatures });
    const [connections, passes] = [this.#connections, this.#passes];
    this.#reach = new Reach({ ownId, own, registry, connections, passes, log });
    const placement = new Placement(({ id }) => this.#reach.whyNot(id) === null);
    const notFound = () => this.#notFound();
    this.#workspaces = new WorkspaceHosts({ ownId, own, registry, bindings, placement, claimJob, notFound });
    this.#submissions = new Submissions({
      ownId,
      registry,
      bindings,
      placement,
      dispatch,
      claimJob,
      clock,
      isOwnPlace,
      // Everything is written to Redis again as soon as it answers.
      onUntold: () => {
        this.#republishState.doubt();
        registry.noteChange();
      },
    });
  }

  /** Reads the id of this host, and what it has answered. @throws Error when the disk refuses. */
  async prepare(): Promise<void> {
    await this.#file.open();
    await this.#answered.load();
  }

  /**
   * Joins the cluster, and cancels what was canceled meanwhile; or does so as soon as Redis is there.
   * @throws Error with a sentence when another host has the name of this one.
   */
  async open(): Promise<void> {
    await this.#link.open();
    // It may come back without what it had.
    this.#link.onReady(() => this.#republishState.doubt());
    // First, so that all that decides about new jobs is there when the host says so.
    this.#registry.on('told', () => void this.usage.tell().then(async () => this.#republishState.writeAll()));
    await this.#registry.open();
    await this.#dispatch.takeKept();
    // Redis was away: without its time, no message can be found to be too late.
    if (this.#clock.nowMs === undefined) this.#registry.once('told', () => this.#dispatch.open());
    else this.#dispatch.open();
    this.#reach.open();
    this.#registry.on('ousted', () => void this.#dispatch.close());
  }

  async close(): Promise<void> {
    this.#reach.close();
    // Without Redis, none of them would come to an end.
    const goodbye = [this.#dispatch.close(), this.#index.flush(), this.#registry.close()];
    await settledWithin(Promise.all(goodbye), closeWithinMs);
    this.#link.close();
    await Promise.all([this.#answered.close(), this.#connections.close()]);
  }

  /** A job of this host is new, has changed or is removed. */
  noteJob(id: string): void {
    this.#index.note(id);
    this.#registry.noteChange();
  }

  /** A place is this host's own from now on, unless another has it. */
  async noteOwn(kind: BoundKind, name: string): Promise<void> {
    await this.#bindings.bind(kind, name, this.id).catch(() => this.#republishState.doubt());
  }

  /** Releases a place, unless a job wants it here again before Redis answers. */
  async noteFree(kind: BoundKind, name: string, isWanted = () => false): Promise<void> {
    // A repeated request must still find the host that did it.
    await this.#republishState.writeAll();
    if (isWanted() || this.#claimJob.isTaking(kind, name)) return;
    // Without Redis, it stays this host's until the next lab is there.
    await this.#bindings.release(kind, name, this.id).catch(() => undefined);
  }

  get id(): string {
    return this.#file.id;
  }

  get name(): string {
    return this.#own.name;
  }

  get hosts(): readonly Host[] {
    return this.#registry.hosts;
  }

  get seen(): readonly SeenHost[] {
    return seenHosts(this.#registry, this.#reach, this.#clock);
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
    // Looked at where the truth is: it may have come back a moment ago.
    if (!(await this.#registry.forget(host)))
      throw new AppError(
        'conflict',
        `the host ${host.name} answers: stop its service first, and wait until it is away`,
      );
    await this.#dispatch.forget(host.id);
    await this.#bindings.releaseAll(host.id);
    await this.#index.forget(host.id);
    await this.#registry.refresh();
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
    return this.#workspaces.hostOf(name);
  }

  async hostForWorkspace(name: string, wanted: string | undefined): Promise<Host> {
    return this.#workspaces.hostFor(name, wanted);
  }

  async makeWorkspaces<T>(names: readonly string[], make: () => Promise<T>): Promise<T> {
    return this.#workspaces.makeHere(names, make);
  }

  async noteWorkspace(name: string): Promise<void> {
    const isOwn = await this.#own.isOwnPlace({ workspace: name, directory: undefined, instance: undefined });
    await (isOwn ? this.noteOwn('workspace', name) : this.noteFree('workspace', name));
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
    // Asked for again, it is the same wish.
    const nonce = `cancel-${id}${force ? '-force' : ''}`;
    await this.#dispatch.post({ kind: 'cancel', nonce, from: this.id, to: host.id, asker, job: id, force });
  }

  connectionTo(host: Host): Dispatcher {
    return this.#connections.to(host);
  }

  passFor(host: Host, request: PassedRequest, asker: Asker): string | undefined {
    return this.#passes.issue(host.id, request, asker);
  }

  redeem(pass: string, request: PassedRequest): { readonly asker: Asker } | undefined {
    return this.#passes.redeem(pass, request);
  }
}

/** The cluster as HTTP uses it: the hosts, where a lab or job is, and requests to other hosts. */
import type { Dispatcher } from 'undici';
import type { JobService } from '../../jobs/job-service.ts';
import type { Host, SeenHost } from './host.ts';
import type { JobRow } from './job-row.ts';
import type { Asker } from './message.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;
type Claim = Parameters<JobService['submit']>[1]['claim'];

/** The request that a pass permits. */
export interface PassedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** A job that needs a host. */
export interface WantedJob {
  /** The unchanged body of the request. */
  readonly body: unknown;
  /** The id or name of the requested host; undefined for any host. */
  readonly host: string | undefined;
  readonly hostLabels: readonly string[];
  /** The name of the lab CLI that runs the job; undefined for the default of the host. */
  readonly cli: string | undefined;
  readonly startsLab: boolean;
  /** The name of an existing workspace; undefined if the request has none or wants a new one. */
  readonly workspace: string | undefined;
  /** The absolute working directory; undefined if the job runs in a workspace. */
  readonly directory: string | undefined;
  /** The lab instance of the request, if it has neither a workspace nor a directory. */
  readonly instance: string | undefined;
  readonly claim: Claim;
  readonly asker: Asker;
}

export interface ClusterService {
  /** This host. */
  readonly id: string;
  readonly name: string;
  readonly hosts: readonly Host[];
  /** All hosts, by name. */
  readonly seen: readonly SeenHost[];
  /** The other hosts that answer. */
  readonly peers: readonly Host[];
  /** By id or name. @throws AppError `host-not-found`. */
  host(named: string): Host;
  /** Whether this host takes no more labs from others; durable. @throws Error when the disk refuses. */
  drain(isDraining: boolean): Promise<Host>;
  /** Removes a host that will not come back, with all that is known of it. @throws AppError `conflict` for one that answers. */
  forget(host: Host): Promise<void>;
  /** Aborted when a host is found to be away. */
  awaySignal(id: string): AbortSignal;

  /** The host of a job; undefined when no host has it. @throws AppError `cluster-unavailable`, as what follows. */
  hostOfJob(id: string): Promise<Host | undefined>;
  hostOfWorkspace(name: string): Promise<Host | undefined>;
  /** The host that makes a new workspace: `wanted`, else the one with most room; the same for all who ask at once. */
  hostForWorkspace(name: string, wanted: string | undefined): Promise<Host>;
  /**
   * Calls `make`, which makes workspaces of these names on this host. @throws AppError `conflict` when one of them is another
   * host's, and what `make` throws; then other hosts can have the names.
   */
  makeWorkspaces<T>(names: readonly string[], make: () => Promise<T>): Promise<T>;
  /** A workspace of this host was made or removed, perhaps. */
  noteWorkspace(name: string): Promise<void>;
  /** The hosts on which a lab instance is on record. */
  hostsOfLab(instance: string): readonly Host[];

  /** The row of a job whose host is away. */
  row(id: string, host: Host): Promise<JobRow | undefined>;
  rows(host: Host, page: { cursor: string | undefined; limit: number }): Promise<readonly JobRow[]>;
  /** Resolves when the others can find a job that is new here; soon, should Redis be away. */
  indexed(id: string): Promise<void>;

  /** Has a host take a job; `here` takes it on this one. @throws AppError as `JobService.submit`, and `host-unavailable`. */
  submit(job: WantedJob, here: () => Promise<Accepted>): Promise<Accepted>;
  /** Has a host that is away cancel a job as soon as it is back. */
  cancelLater(id: string, host: Host, how: { readonly asker: Asker; readonly force: boolean }): Promise<void>;

  /** For requests to a host that answers. */
  connectionTo(host: Host): Dispatcher;
  /** The pass for a request that is forwarded to a host; undefined before this host has reached Redis. */
  passFor(host: Host, request: PassedRequest, asker: Asker): string | undefined;
  /** The user of a request that another host forwarded; undefined when no host of this cluster did. */
  redeem(pass: string, request: PassedRequest): { readonly asker: Asker } | undefined;
}

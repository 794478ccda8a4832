/** The typed client: a method for each thing that the service does, and one that waits and one that follows. */
import type {
  AuditPage,
  AuditRecord,
  DiskUse,
  ExecInNodesRequest,
  ExecInNodesResult,
  Job,
  JobPage,
  JobRequest,
  JobState,
  Lab,
  LabTraffic,
  ListedReport,
  ListedTest,
  Quotas,
  SearchResult,
  StoppedLab,
} from './api-types.ts';
import { Connection, type ConnectionOptions, type RequestOptions } from './connection.ts';
import { execInNodes, type ExecInNodesOptions } from './exec-in-nodes.ts';
import {
  asAuditPage,
  asDiskUse,
  asJob,
  asJobPage,
  asLabs,
  asQuotas,
  asReports,
  asSearchResult,
  asStoppedLabs,
  asTests,
  asTraffic,
  type JsonObject,
} from './expected.ts';
import type { AuditQuery, JobFilter, JobListFilter } from './filters.ts';
import { followEvents, followLog, type FeedNews, type FollowOptions, type LogNews } from './follow.ts';
import { NodeClient } from './node-client.ts';
import { newKey, pause, persistently, type Patience } from './persistently.ts';
import { pagesOf } from './pages-of.ts';
import { FaultsClient } from './faults-client.ts';
import { HostsClient } from './hosts-client.ts';
import { SnapshotsClient } from './snapshots-client.ts';
import { SharesClient } from './shares-client.ts';
import { WorkspacesClient } from './workspaces-client.ts';

const defaultPatienceMs = 5 * 60_000;
/** A service that has never answered may not be there at all. */
const defaultFirstPatienceMs = 5_000;
/** The longest that the service keeps a request waiting, in seconds. */
const longestWaitSeconds = 60;
/** A proxy, or a service that stops, may answer at once all the same. */
const shortestWaitMs = 1_000;

type LogQuery = Readonly<{ tail?: number | undefined; plain?: boolean | undefined }>;

export type InventoryFormat = 'ansible' | 'nornir' | 'ssh-config';

/** The types of events of `followEvents`. */
export type FeedType = 'job' | 'lab' | 'service';

type Waiting = Partial<Patience>;

const ended: ReadonlySet<JobState> = new Set(['success', 'failed', 'canceled']);

/** Whether a job in this state has ended, and will not change any more. */
export function hasEnded(state: JobState): boolean {
  return ended.has(state);
}

const pathOf = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

function patient(given: Waiting): Patience {
  const { patienceMs, firstPatienceMs = patienceMs ?? defaultFirstPatienceMs } = given;
  return { ...given, patienceMs: patienceMs ?? defaultPatienceMs, firstPatienceMs };
}

/**
 * A client of one service. Methods throw ServiceError when the service refuses, ConnectionError when it cannot be reached.
 * Those that take `patienceMs` go on over lost connections and restarts of the service for that long (default 5 min, or 5 s
 * if it has never answered).
 */
export class LabApiClient {
  readonly #connection: Connection;
  /** Workspaces with their files, and what jobs have made. */
  readonly workspaces: WorkspacesClient;
  /** Labs that were kept. */
  readonly snapshots: SnapshotsClient;
  /** Of a cluster. */
  readonly hosts: HostsClient;

  /** @throws TypeError when `url` is missing or none, or the credentials are no header. */
  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
    this.workspaces = new WorkspacesClient(this.#connection);
    this.snapshots = new SnapshotsClient(this.#connection);
    this.hosts = new HostsClient(this.#connection);
  }

  /** One page of the jobs that match the filter, newest first. `nextCursor` is null on the last page. */
  async listJobs(
    filter: JobListFilter & { limit?: number; cursor?: string | undefined } = {},
  ): Promise<JobPage> {
    return asJobPage(await this.#connection.json('GET', '/jobs', { query: { ...filter } }));
  }

  /** Every job that matches, newest first; pages are fetched as they are needed. */
  async *allJobs(filter: JobListFilter = {}): AsyncGenerator<Job, void, void> {
    const read = async (cursor?: string): Promise<JobPage> =>
      this.listJobs({ ...filter, limit: 500, cursor });
    for await (const { jobs } of pagesOf(read)) yield* jobs;
  }

  async getJob(id: string): Promise<Job> {
    return asJob(await this.#connection.json('GET', pathOf(id)));
  }

  /** Submits a job once, however often the connection is lost: the request carries a key by which the service knows it. */
  async startJob(request: JobRequest, given: Waiting & { idempotencyKey?: string } = {}): Promise<Job> {
    const headers = { 'Idempotency-Key': given.idempotencyKey ?? newKey() };
    const { signal } = given;
    return persistently(patient(given), async () =>
      asJob(await this.#connection.json('POST', '/jobs', { headers, body: request, signal })),
    );
  }

  /** The job once it has ended. */
  async waitForJob(id: string, given: Waiting = {}): Promise<Job> {
    const { signal } = given;
    const query = { wait: longestWaitSeconds };
    for (;;) {
      const startedMs = performance.now();
      const job = await persistently(patient(given), async () =>
        asJob(await this.#connection.json('GET', pathOf(id), { query, signal })),
      );
      if (hasEnded(job.state)) return job;
      const earlyMs = shortestWaitMs - (performance.now() - startedMs);
      if (earlyMs > 0) await pause(earlyMs, signal);
    }
  }

  /** Asks for the end of the job; it is `canceling` until its processes are gone. `force` kills them at once. */
  async cancelJob(id: string, options: { readonly force?: boolean | undefined } = {}): Promise<Job> {
    return asJob(await this.#connection.json('POST', `${pathOf(id)}/cancel`, { body: options }));
  }

  /** A new job with the request of this one. */
  async retryJob(id: string): Promise<Job> {
    const headers = { 'Idempotency-Key': newKey() };
    return asJob(await this.#connection.json('POST', `${pathOf(id)}/retry`, { headers }));
  }

  /** Forgets a job that has ended, with its log. */
  async removeJob(id: string): Promise<void> {
    await this.#connection.send('DELETE', pathOf(id));
  }

  /** The log as it is now, as bytes. `plain` leaves escape sequences out. */
  async readLog(id: string, query: LogQuery = {}): Promise<Response> {
    return this.#connection.send('GET', `${pathOf(id)}/log`, { query: { ...query, output: 'text' } });
  }

  /** Yields the new output in the log until the job has ended. */
  followLog(id: string, given: Partial<FollowOptions> = {}): AsyncGenerator<LogNews, void, void> {
    return followLog(this.#connection, id, { ...given, ...patient(given) });
  }

  /**
   * Yields the current state of jobs and labs, then every change in order, also over restarts of the service. `types` selects
   * the types of events. The other fields select jobs, as they do for `listJobs`.
   */
  followEvents(
    filter: JobFilter & { readonly types?: readonly FeedType[] } = {},
    given: Waiting = {},
  ): AsyncGenerator<FeedNews, void, void> {
    return followEvents(this.#connection, { ...filter }, patient(given));
  }

  /** The labs that have ended and can be started again: `retryJob` with `startJob` of each does that. */
  async stoppedLabs(): Promise<StoppedLab[]> {
    return asStoppedLabs(await this.#connection.json('GET', '/stopped-labs'));
  }

  /** The use of the disk of the server, or of a `host` of its cluster; for administrators. */
  async diskUse(query: { readonly host?: string | undefined } = {}): Promise<DiskUse> {
    return asDiskUse(await this.#connection.json('GET', '/disk', { query }));
  }

  /** How much the user of the client has, and may have; or another user, for administrators and leaders of a group. */
  async quotas(query: { readonly user?: string | undefined } = {}): Promise<Quotas> {
    return asQuotas(await this.#connection.json('GET', '/quotas', { query }));
  }

  /** The requests that changed something or were refused, newest first; for administrators. */
  async *audit(query: AuditQuery = {}): AsyncGenerator<AuditRecord, void, void> {
    const read = async (cursor?: string): Promise<AuditPage> =>
      asAuditPage(await this.#connection.json('GET', '/audit', { query: { ...query, cursor } }));
    for await (const { entries } of pagesOf(read)) yield* entries;
  }

  /** The tests of a lab that a job with the action `validate` would run. */
  async labTests(instance: string): Promise<ListedTest[]> {
    return asTests(await this.#connection.json('GET', `/labs/${encodeURIComponent(instance)}/tests`));
  }

  /** The counters of the interfaces at the links of a lab, as they are about now: `ratesBetween` compares two readings. */
  async traffic(lab: string, options: Pick<RequestOptions, 'signal'> = {}): Promise<LabTraffic> {
    const path = `/labs/${encodeURIComponent(lab)}/traffic`;
    return asTraffic(await this.#connection.json('GET', path, options));
  }

  /** The reports that the lab CLI can make of a lab. */
  async reports(lab: string): Promise<readonly ListedReport[]> {
    return asReports(await this.#connection.json('GET', `/labs/${encodeURIComponent(lab)}/reports`));
  }

  /** A report of a lab, as text; its name says whether that is HTML or Markdown. */
  async report(lab: string, name: string): Promise<string> {
    const path = `/labs/${encodeURIComponent(lab)}/reports/${encodeURIComponent(name)}`;
    return this.#connection.text('GET', path);
  }

  /**
   * Runs a command in many nodes, by names, patterns and groups, to its end in all of them. Equal answers are joined. Nothing is
   * tried again: the commands may have begun when the connection was lost.
   */
  async execInNodes(
    lab: string,
    request: ExecInNodesRequest,
    options: ExecInNodesOptions = {},
  ): Promise<ExecInNodesResult> {
    return execInNodes(this.#connection, lab, request, options);
  }

  /** The nodes of a lab for Ansible, Nornir or ssh(1). `proxy`: connections of `ssh-config` go through `lab ssh --stdio`. */
  async inventory(
    lab: string,
    query: { readonly format?: InventoryFormat; readonly proxy?: boolean } = {},
  ): Promise<string> {
    return this.#connection.text('GET', `/labs/${encodeURIComponent(lab)}/inventory`, { query });
  }

  /** A client for a node of a lab. */
  node(lab: string, name: string): NodeClient {
    return new NodeClient(this.#connection, lab, name);
  }

  /** A client for the faults of a lab. */
  faults(lab: string): FaultsClient {
    return new FaultsClient(this.#connection, lab);
  }

  /** A client for the shares of a lab. */
  shares(lab: string): SharesClient {
    return new SharesClient(this.#connection, `/labs/${encodeURIComponent(lab)}`);
  }

  /** The log as it is now, as text. */
  async readLogText(
    id: string,
    { signal, ...query }: LogQuery & { readonly signal?: AbortSignal } = {},
  ): Promise<string> {
    return this.#connection.text('GET', `${pathOf(id)}/log`, { query: { ...query, output: 'text' }, signal });
  }

  /** Any other request whose reply is a JSON object: for what a newer service can do, and this client has no method for. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#connection.json(method, path, options);
  }

  /** The same with any reply, as it comes. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#connection.send(method, path, options);
  }

  /** The labs, in the words of this service. */
  async labs(): Promise<readonly Lab[]> {
    return asLabs(await this.#connection.json('GET', '/labs'));
  }

  /** Finds addresses, prefixes, AS numbers, modules, devices and names in the labs: `q` is as `GET /search` describes it. */
  async search(
    q: string,
    query: { readonly limit?: number | undefined; readonly cli?: string | undefined } = {},
  ): Promise<SearchResult> {
    return asSearchResult(await this.#connection.json('GET', '/search', { query: { ...query, q } }));
  }

  /** The status of all labs with the fields of the lab CLI. */
  async status(): Promise<Record<string, unknown>> {
    return this.#connection.json('GET', '/status', { query: { output: 'json' } });
  }

  /** The same as the lab CLI prints it for people. */
  async statusText(): Promise<string> {
    return this.#connection.text('GET', '/status', { query: { output: 'text' } });
  }
}

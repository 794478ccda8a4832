/**
 * What goes over the wire, as docs/openapi.json describes it. Made by scripts/client-types.mjs: change the API, not
 * this file.
 */

/**
 * What the lab CLI is to do.
 */
export type Action = 'up' | 'create' | 'down' | 'collect' | 'status';
/**
 * What went wrong, for programs. The list is closed; a new version may add to it.
 */
export type ErrorCode =
  | 'invalid-request'
  | 'invalid-json'
  | 'unauthorized'
  | 'too-many-attempts'
  | 'forbidden-path'
  | 'forbidden-host'
  | 'cross-site'
  | 'not-found'
  | 'job-not-found'
  | 'log-not-found'
  | 'instance-not-found'
  | 'workdir-not-found'
  | 'topology-not-found'
  | 'directory-not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'job-active'
  | 'workdir-busy'
  | 'no-free-id'
  | 'request-timeout'
  | 'payload-too-large'
  | 'range-not-satisfiable'
  | 'expectation-failed'
  | 'idempotency-key-reused'
  | 'queue-full'
  | 'headers-too-large'
  | 'shutting-down'
  | 'disk-full'
  | 'storage-fault'
  | 'lab-cli-missing'
  | 'lab-cli-failed'
  | 'lab-cli-timeout'
  | 'topology-download-failed'
  | 'internal';
/**
 * Where a job is: `queued`, `running`, `canceling`, and at last `success`, `failed` or `canceled`, which never change.
 */
export type JobState = 'queued' | 'running' | 'canceling' | 'success' | 'failed' | 'canceled';
/**
 * How it came to its end: `exited` by itself with an exit code; `signaled` from outside; `canceled`; `timeout`; `spawn-error`: the lab CLI could not be started; `log-limit`: it printed too much; `interrupted`: the service or the machine went down, and nobody saw how it ended.
 */
export type JobReason =
  'exited' | 'signaled' | 'canceled' | 'timeout' | 'spawn-error' | 'log-limit' | 'interrupted';

/**
 * How to end a job.
 */
export interface CancelRequest {
  /**
   * Kills at once, without a chance to tidy up. Default: false.
   */
  force?: boolean;
}
/**
 * A job without what is long; with `removed`, it has `id`, `action`, `state`, `createdAt`, `finishedAt`, `workdir`, `instance`, `labels`, `requestedBy`, `cleanupOf` alone.
 */
export interface EventJob {
  /**
   * `job-<ms since 1970>-<6 hex>`: sorts by time.
   */
  id: string;
  action: Action;
  state: JobState;
  /**
   * When it was accepted (RFC 3339, UTC).
   */
  createdAt: string;
  /**
   * When it ended (RFC 3339, UTC); of an `interrupted` job, when that was found out; null before.
   */
  finishedAt: string | null;
  /**
   * The directory that it runs in: absolute, without symbolic links.
   */
  workdir?: string;
  /**
   * The lab instance, as the status calls it; null when nobody can tell.
   */
  instance?: string | null;
  /**
   * Those of the request.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * Who logged in to submit it; null without authentication.
   */
  requestedBy?: string | null;
  /**
   * The id of the `up` that failed or was ended half-way, and whose lab this `down` takes away.
   */
  cleanupOf?: string | null;
  /**
   * When the lab CLI was started (RFC 3339, UTC); null before.
   */
  startedAt?: string | null;
  /**
   * One sentence for a person: why it is not `success`, as far as that is known.
   */
  error?: string | null;
  /**
   * How it came to its end; null before.
   */
  reason?: JobReason | null;
  /**
   * Of the lab CLI; null when a signal ended it, or nobody saw how it ended.
   */
  exitCode?: number | null;
  /**
   * The signal that ended the lab CLI, such as `SIGKILL`, or null.
   */
  signal?: string | null;
  /**
   * The id of the job whose request this one repeats, or null.
   */
  retryOf?: string | null;
  /**
   * The id of the `down` that was queued when this `up` failed or was ended half-way.
   */
  cleanupJobId?: string | null;
  /**
   * Whether it failed or was ended half-way, and something of a lab may run on, or hold its directory.
   */
  mayHaveLeftLab?: boolean;
}
/**
 * A lab, as the status of the lab CLI tells it.
 */
export interface EventLab {
  /**
   * The lab instance, as the status calls it.
   */
  instance: string;
  /**
   * The directory that the lab lives in; null when the lab CLI does not tell it.
   */
  directory: string | null;
  /**
   * What the lab CLI's status says of it, a part of a document of the lab CLI's own; null when that is over 16 KiB. Of a lab that is gone, what it said last.
   */
  status: {
    [k: string]: unknown;
  } | null;
}
/**
 * One wrong field, parameter or header of a request.
 */
export interface FieldError {
  /**
   * The field as the client wrote it, `a.b` for one inside another, or `body`.
   */
  field: string;
  /**
   * What is wrong with it, and what it may be.
   */
  message: string;
}
/**
 * A document of the lab CLI's own, passed on as it is: the state of one lab and of its nodes.
 */
export interface InstanceStatus {
  [k: string]: unknown;
}
/**
 * One run of one action by the lab CLI.
 */
export interface Job {
  /**
   * `job-<ms since 1970>-<6 hex>`: sorts by time.
   */
  id: string;
  action: Action;
  state: JobState;
  /**
   * When it was accepted (RFC 3339, UTC).
   */
  createdAt: string;
  /**
   * When the lab CLI was started (RFC 3339, UTC); null before.
   */
  startedAt: string | null;
  /**
   * When it ended (RFC 3339, UTC); of an `interrupted` job, when that was found out; null before.
   */
  finishedAt: string | null;
  /**
   * One sentence for a person: why it is not `success`, as far as that is known.
   */
  error: string | null;
  /**
   * The directory that it runs in: absolute, without symbolic links.
   */
  workdir: string;
  /**
   * How it came to its end; null before.
   */
  reason: JobReason | null;
  /**
   * Of the lab CLI; null when a signal ended it, or nobody saw how it ended.
   */
  exitCode: number | null;
  /**
   * The signal that ended the lab CLI, such as `SIGKILL`, or null.
   */
  signal: string | null;
  /**
   * The exact argument list, program first.
   *
   * @minItems 1
   */
  command: [string, ...string[]];
  /**
   * What was accepted. An inline topology is kept as a file; a note stands here in its place.
   */
  request: JobRequest;
  /**
   * Sentences about what was ignored in the request.
   */
  warnings: string[];
  /**
   * The lab instance, as the status calls it; null when nobody can tell.
   */
  instance: string | null;
  /**
   * Those of the request.
   */
  labels: {
    [k: string]: string;
  };
  /**
   * Who logged in to submit it; null without authentication.
   */
  requestedBy: string | null;
  /**
   * The id of the job whose request this one repeats, or null.
   */
  retryOf: string | null;
  /**
   * The id of the `up` that failed or was ended half-way, and whose lab this `down` takes away.
   */
  cleanupOf: string | null;
  /**
   * The id of the `up` whose lab this `down` takes away because its lease is over.
   */
  leaseOf: string | null;
  /**
   * The id of the `down` that was queued when this `up` failed or was ended half-way.
   */
  cleanupJobId: string | null;
  /**
   * Whether it failed or was ended half-way, and something of a lab may run on, or hold its directory.
   */
  mayHaveLeftLab: boolean;
  /**
   * How long the log is so far, in bytes.
   */
  logSize: number;
  /**
   * How far it has come; null before it prints anything.
   */
  progress: JobProgress | null;
  /**
   * The ids of processes that could not be ended.
   */
  leftovers: number[];
  /**
   * Where the log is on the lab server.
   */
  logPath: string;
  /**
   * The lab server that has the job; null on a service of one host.
   */
  host: string | null;
  /**
   * 1 for the job that starts next; null for one that does not wait.
   */
  queuePosition: number | null;
  /**
   * How far the messages to `callbackUrl` have come; null without one, before the first message, and when that is very long ago.
   */
  webhook: WebhookState | null;
}
/**
 * What is to be done, where, and how. Fields of another action are ignored, and so are unknown ones: `warnings` of the job names them. `null` and empty text mean "not given". All but `topology` may have 64 KiB together.
 */
export interface JobRequest {
  action: Action;
  /**
   * The directory to run in, which must exist: absolute, below `~`, or relative to the server's own. Default: `workspaceRoot`, else the server's own.
   */
  workdir?: string;
  /**
   * What `netlab api` calls `workdir`, which goes first.
   */
  workspaceRoot?: string;
  /**
   * Where to fetch the topology from, by http or https: at most 1 MiB in 15 s. Used by up, create.
   */
  topologyUrl?: string;
  /**
   * The topology itself, unless there is a `topologyUrl`. Used by up, create.
   */
  topology?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The topology file, unless one of these is given. Default: `topology.yml` or `.yaml` in `netlab` below the working directory, or in itself. Used by up, create.
   */
  topologyPath?: string;
  /**
   * Where to post a message about every state of the job: http or https, and not on this machine or link unless `LAB_API_WEBHOOK_HOSTS` names the host. Used by all.
   */
  callbackUrl?: string;
  /**
   * How long it may run, in seconds; it is ended then. Default and maximum: `LAB_API_JOB_TIMEOUT`. Used by all.
   */
  timeoutSeconds?: number;
  /**
   * How long the lab lives once it is up, in seconds; the service takes it down then. Default: `LAB_API_DEFAULT_TTL`; maximum: `LAB_API_MAX_TTL`. Used by up.
   */
  ttlSeconds?: number;
  /**
   * When the working directory is busy: wait (`queue`, the default), or refuse with 409 (`reject`). Used by all.
   */
  onConflict?: 'queue' | 'reject';
  /**
   * What becomes of the lab when the job is ended half-way: canceled, too long, printed too much: it stays (`keep`, the default), or the service queues a job that takes it away. Used by up.
   */
  onCancel?: 'keep' | 'down';
  /**
   * What becomes of the lab when the job fails: it stays (`keep`, the default), or the service queues a job that takes it away. Used by up.
   */
  onFailure?: 'keep' | 'down';
  /**
   * Short texts by name, to find jobs by; at most 32, `=` not in names. Used by all.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * The device type of nodes that name none (`--device`). Used by up, create.
   */
  device?: string;
  /**
   * What runs the nodes: `clab`, `libvirt`, … (`--provider`). Used by up, create.
   */
  provider?: string;
  /**
   * Plugins of the lab CLI to load (`--plugin`); one may be plain text. Used by up, create.
   *
   * @maxItems 100
   */
  plugin?: string[];
  /**
   * Topology attributes to set, by their dotted names (`--set`); at most 200. Used by up, create.
   */
  set?: {
    /**
     * The value of the attribute.
     */
    [k: string]: string | number | boolean;
  };
  /**
   * Runs the lab beside others, as the instance of this number (the multilab plugin); `auto` takes a free one, with up only. Used by up, create.
   */
  multilabId?: number | 'auto';
  /**
   * Which files to make, as `format:option=file` inside the working directory (`--output`). Used by create.
   *
   * @maxItems 100
   */
  output?: string[];
  /**
   * Starts the nodes without configuring them (`--no-config`). Used by up.
   */
  noConfig?: boolean;
  /**
   * A directory with collected configurations to start from (`--reload-config`). Used by up.
   */
  reloadConfig?: string;
  /**
   * Does not start external tools (`--no-tools`). Used by up.
   */
  noTools?: boolean;
  /**
   * Configures the nodes in parallel (`--fast-config`). Used by up.
   */
  fastConfig?: boolean;
  /**
   * Removes the files that the lab CLI made, too (`--cleanup`). Used by down.
   */
  cleanup?: boolean;
  /**
   * Goes on in spite of errors and locks (`--force`). Used by down.
   */
  force?: boolean;
  /**
   * Prints the commands and runs none (`--dry-run`). Used by up, down.
   */
  dryRun?: boolean;
  /**
   * The lab instance, as the status calls it (`--instance`); without `/`. Used by down, collect, status.
   */
  instance?: string | number;
  /**
   * The directory for the configurations, inside the working directory (`--output`). Used by collect.
   */
  collectOutput?: string;
  /**
   * The end of the names of collected files (`--suffix`). Used by collect.
   */
  collectSuffix?: string;
  /**
   * The tar archive for the configurations, inside the working directory (`--tar`). Used by collect.
   */
  collectTar?: string;
  /**
   * Removes the directory once the archive is made (`--cleanup`). Used by collect.
   */
  collectCleanup?: boolean;
  /**
   * Starts the lab from its snapshot, without a topology (`--snapshot`). Used by up.
   */
  snapshot?: boolean;
  /**
   * Prints less (`--quiet`). Used by up, create, collect.
   */
  quiet?: boolean;
  /**
   * Prints more (`--verbose`). Used by up, create, down, collect.
   */
  verbose?: boolean;
}
/**
 * The last line of the log that tells a person something.
 */
export interface JobProgress {
  /**
   * The line, without escape sequences; at most 200 characters.
   */
  message: string;
  /**
   * When the log last grew (RFC 3339, UTC).
   */
  at: string;
}
/**
 * How far the messages to the `callbackUrl` of a job have come.
 */
export interface WebhookState {
  /**
   * `gave-up`: nobody took it for a day. `gone`: the receiver wants no more (410). `dropped`: too many messages wait for that receiver.
   */
  state: 'pending' | 'delivered' | 'gave-up' | 'gone' | 'dropped';
  /**
   * How many times the message was sent that is on its way, else the last one.
   */
  attempts: number;
  /**
   * HTTP status of the last answer; null when there was none.
   */
  lastStatus: number | null;
  /**
   * When it is tried next (RFC 3339, UTC); null when it is not.
   */
  nextAttemptAt: string | null;
}
/**
 * The job has ended: nothing follows, and a reconnect gets 204.
 */
export interface JobEndEvent {
  state: JobState;
  /**
   * How long the log is, in bytes.
   */
  nextOffset: number;
}
/**
 * Something happened to a job.
 */
export interface JobEvent {
  /**
   * What happened; `current` stands in a snapshot.
   */
  change: 'current' | 'created' | 'state' | 'progress' | 'removed';
  /**
   * When it happened (RFC 3339, UTC).
   */
  at?: string;
  /**
   * With `progress`: the last line of the log that tells a person something.
   */
  message?: string;
  job: EventJob;
}
/**
 * The log of a job, or a part of it.
 */
export interface JobLog {
  /**
   * What the lab CLI printed.
   */
  log: string;
  /**
   * Where this begins, in bytes of the log.
   */
  offset: number;
  /**
   * Where this ends, in bytes of the log: the `offset` to go on from.
   */
  nextOffset: number;
  /**
   * Whether the log has its final length.
   */
  complete: boolean;
}
/**
 * What the lab CLI printed next.
 */
export interface JobLogEvent {
  /**
   * The next piece; no character is ever cut.
   */
  log: string;
  /**
   * Where it ends, in bytes of the log; the `id` of the event, too.
   */
  nextOffset: number;
}
/**
 * A page of jobs.
 */
export interface JobPage {
  /**
   * Newest first.
   */
  jobs: Job[];
  /**
   * The `cursor` of the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * When the lab is to be taken down: one of the two.
 */
export interface LabChange {
  /**
   * The moment at which the lab is taken down (RFC 3339); null for never.
   */
  expiresAt?: string | null;
  /**
   * The same as seconds from now.
   */
  ttlSeconds?: number | null;
}
/**
 * Something happened to a lab.
 */
export interface LabEvent {
  /**
   * What happened, whoever did it; `current` stands in a snapshot. `expiring` (15 and 5 minutes before), `expired` (it is being taken down) and `expiry-failed` (it could not be taken down) tell of its lease.
   */
  change: 'current' | 'appeared' | 'changed' | 'gone' | 'expiring' | 'expired' | 'expiry-failed';
  /**
   * When it happened (RFC 3339, UTC).
   */
  at?: string;
  /**
   * When the lease is over (RFC 3339, UTC). With the last three.
   */
  expiresAt?: string;
  /**
   * The `down` that takes the lab away; null when none could be queued.
   */
  jobId?: string | null;
  /**
   * With `expiry-failed`: what is wrong, in a sentence.
   */
  why?: string;
  /**
   * With `expiry-failed`: when it is tried again (RFC 3339, UTC).
   */
  nextTryAt?: string;
  lab: EventLab;
}
/**
 * A document of the lab CLI's own, passed on as it is: by instance, what it knows of each lab; with no lab, `warning` alone.
 */
export interface LabsStatus {
  [k: string]: unknown;
}
/**
 * How long a lab may live.
 */
export interface Lease {
  /**
   * The lab, as the status calls it.
   */
  id: string;
  /**
   * The directory that it lives in.
   */
  workdir: string;
  /**
   * The `up` that started it.
   */
  jobId: string;
  /**
   * When it is taken down (RFC 3339, UTC); null when it lives until somebody stops it.
   */
  expiresAt: string | null;
}
/**
 * The service answers.
 */
export interface Liveness {
  /**
   * Always `ok`.
   */
  status: 'ok';
}
/**
 * A message of the Model Context Protocol: a JSON-RPC 2.0 request or response.
 */
export interface McpMessage {
  /**
   * Always `2.0`.
   */
  jsonrpc: '2.0';
  /**
   * The number or text of the request.
   */
  id?: string | number | null;
  /**
   * What is asked for, such as `tools/call`; in requests.
   */
  method?: string;
  /**
   * What goes with it, as the Model Context Protocol has it; in requests.
   */
  params?: {
    [k: string]: unknown;
  };
  /**
   * What came of it, as the Model Context Protocol has it; in responses.
   */
  result?: {
    [k: string]: unknown;
  };
  /**
   * Why nothing came of it, as the Model Context Protocol has it; in responses.
   */
  error?: {
    [k: string]: unknown;
  };
}
/**
 * An OpenAPI 3.1 document: its own specification says what is in it.
 */
export interface OpenApiDocument {
  [k: string]: unknown;
}
/**
 * Why a request was refused or could not be answered (RFC 9457).
 */
export interface Problem {
  /**
   * `urn:lab-api:error:` and the `code`.
   */
  type: string;
  /**
   * The name of the HTTP status.
   */
  title: string;
  /**
   * The HTTP status.
   */
  status: number;
  /**
   * A sentence for a person: what is wrong, and what to do.
   */
  detail: string;
  /**
   * The path of the request, with its query.
   */
  instance: string;
  code: ErrorCode;
  /**
   * Names the request in the log of the service.
   */
  requestId: string;
  /**
   * The same as `detail`: clients of `netlab api` read this one.
   */
  error: string;
  /**
   * What is wrong with which field, where the error is about fields of the request.
   */
  errors?: FieldError[];
  /**
   * Sentences about what would have been ignored in the request: it may be the reason.
   */
  warnings?: string[];
  /**
   * Where the job is (`job-active`, `conflict`).
   */
  state?: JobState;
  /**
   * The id of the job that has the working directory (`workdir-busy`).
   */
  conflictingJobId?: string;
  /**
   * The id of the job that the key stands for (`idempotency-key-reused`).
   */
  jobId?: string;
  /**
   * The last lines that the lab CLI printed (`lab-cli-failed`).
   */
  output?: string[];
  /**
   * A document of the lab CLI's own, passed on as it is: what the list of all labs knows of the instance (`lab-cli-failed`, `lab-cli-timeout`).
   */
  lab?: {
    [k: string]: unknown;
  };
}
/**
 * Whether the service can do its work now.
 */
export interface Readiness {
  /**
   * `ok` when every check passed.
   */
  status: 'ok' | 'unavailable';
  /**
   * Every check; none for an address that is locked out.
   */
  checks: ReadinessCheck[];
}
/**
 * One thing that the service needs for its work.
 */
export interface ReadinessCheck {
  /**
   * What is looked at: `jobs-directory`, `free-disk`, `job-records`, `job-starts`, `lab-cli`.
   */
  name: string;
  /**
   * Whether it is as it should be.
   */
  ok: boolean;
  /**
   * A sentence for a person.
   */
  detail: string;
}
/**
 * The snapshot is whole: changes follow.
 */
export interface ReadyEvent {
  /**
   * When the labs were seen (RFC 3339, UTC); null when the lab CLI does not tell, and when labs are not asked for.
   */
  labsSeenAt: string | null;
}
/**
 * The id of the client leads nowhere: a snapshot follows.
 */
export interface ResetEvent {
  /**
   * `other-feed`: the id is of another data directory, or of a journal that was lost. `too-old`: what came after it is kept no more. `unknown-id`: no event has it, or it is no id at all.
   */
  reason: 'other-feed' | 'too-old' | 'unknown-id';
}
/**
 * The service was started, or is about to stop.
 */
export interface ServiceEvent {
  /**
   * What the service does.
   */
  change: 'started' | 'stopping';
  /**
   * When it happened (RFC 3339, UTC).
   */
  at: string;
  /**
   * Of the service.
   */
  version: string;
}
/**
 * What this service is, and where to go on.
 */
export interface ServiceInfo {
  /**
   * Always `lab-api`.
   */
  name: 'lab-api';
  /**
   * Of the service.
   */
  version: string;
  /**
   * The path of the reference page on this server.
   */
  docs: string;
  links: ServiceLinks;
}
/**
 * Paths on this server to go on with, by name.
 */
export interface ServiceLinks {
  /**
   * The path of `/healthz` on this server.
   */
  healthz: string;
  /**
   * The path of `/readyz` on this server.
   */
  readyz: string;
  /**
   * The path of `/jobs` on this server.
   */
  jobs: string;
  /**
   * The path of `/events` on this server.
   */
  events: string;
  /**
   * The path of `/status` on this server.
   */
  status: string;
  /**
   * The path of `/templates` on this server.
   */
  templates: string;
  /**
   * The path of `/metrics` on this server.
   */
  metrics: string;
  /**
   * The path of `/openapi.json` on this server.
   */
  openapi: string;
}
/**
 * The service stops first: connect again.
 */
export interface ShutdownEvent {
  /**
   * A sentence for a person.
   */
  reason: string;
}
/**
 * Forget what you know: `job` and `lab` events tell how things are, up to `ready`.
 */
export interface SnapshotEvent {}
/**
 * A topology file.
 */
export interface Template {
  /**
   * The same as `path`: clients of `netlab api` read this one.
   */
  name: string;
  /**
   * The file, below the directory that was asked for.
   */
  path: string;
  /**
   * The file: absolute, for `topologyPath` of a job.
   */
  topologyPath: string;
  /**
   * What the topology calls itself, or null.
   */
  title: string | null;
  /**
   * What the topology says of itself, or null.
   */
  description: string | null;
  /**
   * What runs its nodes, or null when it does not say.
   */
  provider: string | null;
  /**
   * The device type of nodes that name none, or null.
   */
  device: string | null;
  /**
   * How many nodes it has; null when it is not valid.
   */
  nodes: number | null;
  /**
   * How many links it has; null when it is not valid.
   */
  links: number | null;
  /**
   * How long the file is, in bytes; null when it cannot be read.
   */
  size: number | null;
  /**
   * When the file was last changed (RFC 3339, UTC); null when it cannot be read.
   */
  modifiedAt: string | null;
  /**
   * Whether it is a topology.
   */
  valid: boolean;
  /**
   * One sentence for a person: why it is none; null when it is one.
   */
  error: string | null;
}
/**
 * The topology files in a directory.
 */
export interface TemplateList {
  /**
   * Sorted by name.
   */
  templates: Template[];
}

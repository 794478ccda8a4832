/**
 * What goes over the wire, as docs/openapi.json describes it. Made by scripts/client-types.mjs: change the API, not
 * this file.
 */

/**
 * What the lab CLI is to do.
 */
export type Action =
  | 'up'
  | 'create'
  | 'down'
  | 'collect'
  | 'status'
  | 'restart'
  | 'validate'
  | 'initial'
  | 'config'
  | 'exec'
  | 'start-nodes'
  | 'stop-nodes'
  | 'restart-nodes';
/**
 * What went wrong, for programs. The list is closed; a new version may add to it.
 */
export type ErrorCode =
  | 'invalid-request'
  | 'invalid-json'
  | 'unauthorized'
  | 'too-many-attempts'
  | 'forbidden'
  | 'forbidden-path'
  | 'forbidden-host'
  | 'cross-site'
  | 'not-found'
  | 'job-not-found'
  | 'log-not-found'
  | 'instance-not-found'
  | 'node-not-found'
  | 'interface-not-found'
  | 'workdir-not-found'
  | 'topology-not-found'
  | 'directory-not-found'
  | 'host-not-found'
  | 'workspace-not-found'
  | 'file-not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'job-active'
  | 'workdir-busy'
  | 'lab-not-up'
  | 'no-free-id'
  | 'workspace-busy'
  | 'precondition-failed'
  | 'request-timeout'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'archive-refused'
  | 'range-not-satisfiable'
  | 'expectation-failed'
  | 'idempotency-key-reused'
  | 'queue-full'
  | 'too-many-sessions'
  | 'upgrade-required'
  | 'headers-too-large'
  | 'shutting-down'
  | 'host-unavailable'
  | 'cluster-unavailable'
  | 'disk-full'
  | 'quota-exceeded'
  | 'storage-fault'
  | 'lab-cli-missing'
  | 'lab-cli-failed'
  | 'lab-cli-timeout'
  | 'topology-download-failed'
  | 'not-supported'
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
 * What an action found out: `kind` says which of these it is.
 */
export type JobResult = TestsResult | OutputsResult;
/**
 * How far a lab is. `missing`: it was started, and nothing of it is there (the machine was rebooted, say). `other`: the lab CLI says something else; `GET /status` has its words.
 */
export type LabState = 'starting' | 'started' | 'stopping' | 'missing' | 'other';
/**
 * Whether a node runs. `unknown`: the lab CLI does not look after it.
 */
export type NodeState = 'up' | 'down' | 'unknown';

/**
 * An address or a prefix of each family.
 */
export interface Addresses {
  /**
   * With prefix length, such as `10.1.0.1/30`; null where it has none.
   */
  ipv4: string | null;
  /**
   * With prefix length, such as `2001:db8:1::1/64`; null where it has none.
   */
  ipv6: string | null;
}
/**
 * A file that a job has made.
 */
export interface Artifact {
  /**
   * What it is fetched by, with slashes.
   */
  path: string;
  /**
   * How long it is, in bytes.
   */
  size: number;
  /**
   * When it was last changed (RFC 3339, UTC).
   */
  modifiedAt: string;
}
/**
 * The files that a job has made.
 */
export interface ArtifactList {
  /**
   * Those that are there now.
   */
  artifacts: Artifact[];
  /**
   * Whether there are more: 10,000 are listed at most.
   */
  truncated: boolean;
}
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
 * Whether a host is to take labs.
 */
export interface DrainRequest {
  /**
   * `false` has it take labs again. Default: true.
   */
  drain?: boolean;
}
/**
 * A job without what is long; with `removed`, it has `id`, `action`, `state`, `createdAt`, `finishedAt`, `workdir`, `workspace`, `instance`, `labels`, `requestedBy`, `cleanupOf` alone.
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
   * The workspace that the directory is, or is in; null for any other directory.
   */
  workspace?: string | null;
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
   * The lab CLI that has it, as `GET /` calls it; null when an earlier version told of it.
   */
  cli: string | null;
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
 * The command has ended: nothing follows.
 */
export interface ExecEndEvent {
  /**
   * As the command gave it; 128 + the number of a signal that ended it; null when it was ended from here.
   */
  exitCode: number | null;
  /**
   * With which it was ended from here; null when it ended by itself.
   */
  signal: 'SIGKILL' | null;
  /**
   * `exited` by itself, killed after its `timeoutSeconds`, or because the service stops.
   */
  reason: 'exited' | 'timeout' | 'canceled';
  /**
   * From the request to its end, in milliseconds.
   */
  durationMs: number;
}
/**
 * What the command printed next.
 */
export interface ExecOutputEvent {
  /**
   * The next piece of what it printed.
   */
  output: string;
  /**
   * `base64` for a piece that is not UTF-8 by itself: no byte is lost.
   */
  encoding: 'utf8' | 'base64';
}
/**
 * A command for a node.
 */
export interface ExecRequest {
  /**
   * The program and its arguments, as they are: no shell reads them. For a line of a shell: `["sh", "-c", "…"]`.
   *
   * @minItems 1
   * @maxItems 256
   */
  command: [string, ...string[]];
  /**
   * How long it may run, in seconds. It is killed then.
   */
  timeoutSeconds?: number;
  /**
   * What it reads on its standard input.
   */
  stdin?: string;
}
/**
 * How a command in a node ended.
 */
export interface ExecResult {
  /**
   * As the command gave it; 128 + the number of a signal that ended it; null when it was ended from here.
   */
  exitCode: number | null;
  /**
   * With which it was ended from here; null when it ended by itself.
   */
  signal: 'SIGKILL' | null;
  /**
   * `exited` by itself, killed after its `timeoutSeconds`, or because the service stops.
   */
  reason: 'exited' | 'timeout' | 'canceled';
  /**
   * From the request to its end, in milliseconds.
   */
  durationMs: number;
  /**
   * What it printed, standard error included, in order; bytes that are not UTF-8 are replaced.
   */
  output: string;
  /**
   * Whether it printed more than 1 MiB, of which this is the beginning.
   */
  truncated: boolean;
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
 * A lab server of the cluster.
 */
export interface Host {
  /**
   * A UUID that it keeps in its data directory.
   */
  id: string;
  /**
   * What it is called: `LAB_API_HOST_NAME`, or the name of the machine.
   */
  name: string;
  /**
   * Where the other hosts reach it.
   */
  url: string;
  /**
   * `draining`: it takes no new labs. `away`: it has told nothing for 15 seconds.
   */
  state: 'up' | 'draining' | 'away';
  /**
   * Whether it is the one that answers.
   */
  isThis: boolean;
  /**
   * Of its service.
   */
  version: string;
  /**
   * What `hostLabels` of a request may ask for.
   */
  labels: string[];
  /**
   * Its lab CLIs that are installed: what `cli` of a request may ask for.
   */
  clis: string[];
  /**
   * How many jobs it runs at the same time.
   */
  capacity: number;
  /**
   * How many it runs.
   */
  running: number;
  /**
   * How many wait there.
   */
  queued: number;
  /**
   * How many labs its lab CLI has on record.
   */
  labs: number;
  /**
   * Of the machine, in bytes.
   */
  memory: number;
  /**
   * What of it is free for new labs, in bytes.
   */
  freeMemory: number;
  /**
   * When its service was started (RFC 3339, UTC, by the clock of Redis).
   */
  startedAt: string;
  /**
   * When it told all this (RFC 3339, UTC, by the clock of Redis).
   */
  seenAt: string;
  /**
   * How long ago that was, in seconds.
   */
  seenSecondsAgo: number;
  /**
   * Whether Redis does not answer: the host was so at `seenAt`, and may be away by now.
   */
  stale: boolean;
  /**
   * Why it is not reached at its `url` by the host that answers, or, of that one, by others; null when it is. Its `LAB_API_HOST_URL` is wrong then, or there is no way to it.
   */
  unreachable: string | null;
}
/**
 * The lab servers of the cluster.
 */
export interface HostList {
  /**
   * Sorted by name.
   */
  hosts: Host[];
}
/**
 * What happens to packets that leave a node by an interface.
 */
export interface Impairment {
  /**
   * Whether anything happens to packets.
   */
  isImpaired: boolean;
  /**
   * Every packet is that late, in milliseconds.
   */
  delayMs: number;
  /**
   * By how much the delay varies, up and down, in milliseconds.
   */
  jitterMs: number;
  /**
   * How many packets in a hundred are lost.
   */
  lossPercent: number;
  /**
   * How many packets in a hundred come twice.
   */
  duplicatePercent: number;
  /**
   * In how many packets in a hundred a bit is turned.
   */
  corruptPercent: number;
  /**
   * How many thousand bits in a second go out at most; 0: as many as can.
   */
  rateKbps: number;
}
/**
 * What is to happen to packets; what is left out is 0.
 */
export interface ImpairmentRequest {
  /**
   * Every packet is that late, in milliseconds.
   */
  delayMs?: number;
  /**
   * By how much the delay varies, up and down, in milliseconds.
   */
  jitterMs?: number;
  /**
   * How many packets in a hundred are lost.
   */
  lossPercent?: number;
  /**
   * How many packets in a hundred come twice.
   */
  duplicatePercent?: number;
  /**
   * In how many packets in a hundred a bit is turned.
   */
  corruptPercent?: number;
  /**
   * How many thousand bits in a second go out at most; 0: as many as can.
   */
  rateKbps?: number;
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
   * The workspace that the directory is, or is in; null for any other directory.
   */
  workspace: string | null;
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
   * The lab CLI that it is for, as `labClis` of `GET /` calls it; null for a job of a version that did not write it down.
   */
  cli: string | null;
  /**
   * Sentences about what was ignored in the request, and what was found that is no failure.
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
   * What `validate` and `exec` found out. null for other actions, before the end, and when nothing of what was printed is understood.
   */
  result: JobResult | null;
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
   * Present while its host is away: this is what the index of the cluster knows of it. What it does not know is null, or empty.
   */
  stale?: true;
  /**
   * 1 for the job that starts next; null for one that does not wait.
   */
  queuePosition: number | null;
  /**
   * Why it waits; null for a job that does not wait.
   */
  waitsFor: JobWait | null;
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
   * The lab CLI that is to run it, by a name of `labClis` in `GET /`. Default: that of the lab, else the first. Used by all.
   */
  cli?: string;
  /**
   * The directory to run in, which must exist: absolute, below `~`, or relative to the server's own. Default: `workspaceRoot`, else the server's own.
   */
  workdir?: string;
  /**
   * The workspace to run in, in place of `workdir`; `auto` is a new one that is called as the job is. For up and create, it is made when there is none.
   */
  workspace?: string;
  /**
   * Of a cluster: the host that is to run it, by name or id. Default: the one that has the directory or the lab, else the one with most room.
   */
  host?: string;
  /**
   * Of a cluster: only a host with all of these labels (`LAB_API_HOST_LABELS`).
   *
   * @maxItems 16
   */
  hostLabels?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
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
   * What becomes of the lab when the job is ended half-way: canceled, too long, printed too much: it stays (`keep`, the default), or the service queues a job that takes it away. Used by up, restart.
   */
  onCancel?: 'keep' | 'down';
  /**
   * What becomes of the lab when the job fails: it stays (`keep`, the default), or the service queues a job that takes it away. Used by up, restart.
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
   * Starts the nodes without configuring them (`--no-config`). Used by up, restart.
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
   * Configures the nodes in parallel (`--fast-config`). Used by up, restart.
   */
  fastConfig?: boolean;
  /**
   * Removes the files that the lab CLI made, too (`--cleanup`). Used by down, restart.
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
   * The lab instance, as the status calls it (`--instance`); without `/`. Used by down, collect, status, restart, validate, initial, config, exec, start-nodes, stop-nodes, restart-nodes.
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
   * Which tests to run, by name or regular expression; all of them when not given. Used by validate.
   *
   * @maxItems 100
   */
  tests?: string[];
  /**
   * On which nodes, by their names; `exec` also takes groups and patterns such as `r*`. `*` alone is all of them, with `exec`, `start-nodes`, `stop-nodes` and `restart-nodes` (`--node`). Used by validate, exec, start-nodes, stop-nodes, restart-nodes.
   *
   * @maxItems 100
   */
  nodes?: string[];
  /**
   * Does not wait for anything to come up (`--skip-wait`). Used by validate.
   */
  skipWait?: boolean;
  /**
   * Prints failed tests only (`--error-only`). Used by validate.
   */
  errorOnly?: boolean;
  /**
   * A YAML file with tests to run in place of those of the lab (`--source`). Used by validate.
   */
  testSource?: string;
  /**
   * The configuration template: the path of a file or directory, or a name that netlab looks up. Used by config.
   */
  template?: string;
  /**
   * On which nodes: names, groups and patterns, separated by commas (`--limit`). Used by initial, config.
   */
  limit?: string;
  /**
   * The command and its arguments, one by one, such as `["ping", "-c1", "h2"]`. Used by exec.
   *
   * @minItems 1
   * @maxItems 200
   */
  command?: [string, ...string[]];
  /**
   * Makes the nodes and their files anew, where the lab is there already (`--reconfigure`). With containerlab only. Used by up.
   */
  reconfigure?: boolean;
  /**
   * The nodes that it is about, by their names; the others are left alone (`--node-filter`). With containerlab only. Used by up, create, down, collect.
   *
   * @maxItems 100
   */
  nodeFilter?: string[];
  /**
   * How many nodes at a time (`--max-workers`). With containerlab only. Used by up, down, restart.
   */
  maxWorkers?: number;
  /**
   * A file with the variables of a topology that is a template (`--vars`). With containerlab only. Used by up, create, down, restart, start-nodes, stop-nodes, restart-nodes.
   */
  vars?: string;
  /**
   * Does not do what the kinds of the nodes want done after their start (`--skip-post-deploy`). With containerlab only. Used by up, restart.
   */
  skipPostDeploy?: boolean;
  /**
   * The template for the file that describes the lab that is made (`--export-template`). With containerlab only. Used by up.
   */
  exportTemplate?: string;
  /**
   * Stops the nodes before it removes them (`--graceful`). With containerlab only. Used by down, restart.
   */
  graceful?: boolean;
  /**
   * Leaves the management network (`--keep-mgmt-net`). With containerlab only. Used by down.
   */
  keepMgmtNet?: boolean;
  /**
   * How long Docker may take for a node, in seconds (`--timeout`): one that has not stopped by then is killed. With containerlab only. Used by start-nodes, stop-nodes, restart-nodes.
   */
  nodeWaitSeconds?: number;
  /**
   * Prints less (`--quiet`). Used by up, create, collect, restart, initial, config, start-nodes, stop-nodes, restart-nodes.
   */
  quiet?: boolean;
  /**
   * Prints more (`--verbose`). Used by up, create, down, collect, restart, validate, initial, config, start-nodes, stop-nodes, restart-nodes.
   */
  verbose?: boolean;
}
/**
 * How the tests of a lab ended.
 */
export interface TestsResult {
  /**
   * What tells it from other results.
   */
  kind: 'tests';
  /**
   * How many tests passed; null when that was not printed.
   */
  passed: number | null;
  /**
   * How many tests failed.
   */
  failed: number;
  /**
   * How many tests gave a warning in place of a failure.
   */
  warnings: number;
  /**
   * Whether the tests came to their end. If not, there are some of which nothing was printed.
   */
  complete: boolean;
  /**
   * Whether tests or messages are left out here, because all have 32 KiB together. They are counted.
   */
  truncated: boolean;
  /**
   * In the order in which they were run.
   */
  tests: TestResult[];
}
/**
 * One test of a lab, and how it ended.
 */
export interface TestResult {
  /**
   * As the topology calls it.
   */
  name: string;
  /**
   * What it is to show; null when the topology does not say.
   */
  description: string | null;
  /**
   * The nodes that it was run on, of those that are listed.
   */
  nodes: string[];
  /**
   * `warning`: it failed, and its `level` is `warning`. `skipped`: no node can run it. null: it gives no verdict (it waits, or only runs a command), it did not come to its end, or what was printed cannot be understood.
   */
  outcome: ('passed' | 'failed' | 'warning' | 'skipped') | null;
  /**
   * What was said about it, in order, without how it was waited for.
   */
  messages: string[];
  /**
   * How long it took, in seconds; null when that was not printed.
   */
  seconds: number | null;
}
/**
 * What a command printed, by node.
 */
export interface OutputsResult {
  /**
   * What tells it from other results.
   */
  kind: 'outputs';
  /**
   * Whether the lab CLI came to its end. If not, there may be nodes that are not listed.
   */
  complete: boolean;
  /**
   * In the order in which the command was run there; at most 1000.
   */
  nodes: NodeOutput[];
}
/**
 * What a command printed in one node.
 */
export interface NodeOutput {
  /**
   * As the topology calls it.
   */
  node: string;
  /**
   * What the command printed there: the beginning of it, when it is long.
   */
  output: string;
  /**
   * Whether there is more of it in the log.
   */
  truncated: boolean;
  /**
   * Of the command; null when it was not run there, or the lab CLI does not tell it, as netlab does not.
   */
  exitCode: number | null;
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
 * Why a job waits.
 */
export interface JobWait {
  /**
   * `workdir`: another job uses its directory. `capacity`: its server runs as many jobs as it may (`LAB_API_MAX_RUNNING_JOBS`).
   */
  reason: 'workdir' | 'capacity';
  /**
   * The id of the job before it, with `workdir`; null otherwise.
   */
  job: string | null;
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
   * What happened; `current` stands in a snapshot, and comes of a host of a cluster that joins later.
   */
  change: 'current' | 'created' | 'state' | 'progress' | 'removed';
  /**
   * Of a cluster: the host that it happened on.
   */
  host?: string;
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
  /**
   * Of a cluster, and only where there are any: the hosts that did not answer, and whose part is missing.
   */
  missingHosts?: string[];
}
/**
 * A lab on this server, in the same words whatever lab CLI runs it.
 */
export interface Lab {
  /**
   * The lab instance, as `GET /status` calls it and as jobs name it; in a cluster with its host, `default@lab2`.
   */
  id: string;
  /**
   * The lab CLI that has it, as `GET /` calls it.
   */
  cli: string;
  /**
   * The lab server that it is on; null on a service that works alone.
   */
  host: string | null;
  /**
   * What the lab CLI calls it, or null. netlab calls a lab with a multilab id `ml-7`, whatever the name in its topology.
   */
  name: string | null;
  state: LabState;
  /**
   * The directory that it lives in; null when the lab CLI does not tell.
   */
  workdir: string | null;
  /**
   * The workspace that it lives in; null when that is none.
   */
  workspace: string | null;
  /**
   * Its nodes; none as long as the lab CLI tells none, such as while the lab starts.
   */
  nodes: LabNode[];
  /**
   * Why the lab CLI cannot tell the nodes, a sentence for a person; null when it can.
   */
  problem: string | null;
  /**
   * What its nodes run on; the first of several.
   */
  provider: string | null;
  /**
   * When it was started (RFC 3339, UTC); null while it was not, or that is not told.
   */
  startedAt: string | null;
  /**
   * When its lease ends (RFC 3339, UTC); null when it has none.
   */
  expiresAt: string | null;
  /**
   * Who asked for the job that started it; null when that is not known, such as for a lab that was started from a shell.
   */
  owner: string | null;
  /**
   * The ids of its last jobs, newest first; at most ten.
   */
  jobs: string[];
}
/**
 * A node of a lab that was started.
 */
export interface LabNode {
  /**
   * As the topology calls it.
   */
  name: string;
  /**
   * Its device type, such as `frr`, or null.
   */
  device: string | null;
  /**
   * What it runs on, such as `clab` or `netns`, or null.
   */
  provider: string | null;
  /**
   * The image of its container or machine, or null.
   */
  image: string | null;
  /**
   * The address by which it is managed, or null.
   */
  address: string | null;
  state: NodeState;
  /**
   * When it came up (RFC 3339, UTC), about: the lab CLI rounds it. Null when it is not up, or that is not told.
   */
  since: string | null;
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
 * The lab CLI of a server.
 */
export interface LabCli {
  /**
   * What `LAB_API_CLI` calls it: `netlab`, `engine`, `containerlab`.
   */
  name: string;
  /**
   * By action: the options that it has with other lab CLIs only, and is refused with on this server.
   */
  otherOptions: {
    [k: string]: string[];
  };
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
   * Of a cluster: the host that it happened on.
   */
  host?: string;
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
 * Where somebody put the boxes of a picture. What is not named is laid out by the service.
 */
export interface LabLayout {
  /**
   * By the name of a node: where its middle is.
   */
  nodes: {
    [k: string]: Position;
  };
  /**
   * By the `id` of a link that is drawn as a network, with one node or more than two: where its middle is.
   */
  links: {
    [k: string]: Position;
  };
}
/**
 * The middle of a box.
 */
export interface Position {
  /**
   * How far to the right, in pixels: a number up to a million either way.
   */
  x: number;
  /**
   * How far down, in pixels: a number up to a million either way.
   */
  y: number;
}
/**
 * Where somebody put the boxes of a picture. What is not named is laid out by the service.
 */
export interface LabLayoutRequest {
  /**
   * By the name of a node: where its middle is.
   */
  nodes?: {
    [k: string]: Position;
  };
  /**
   * By the `id` of a link that is drawn as a network, with one node or more than two: where its middle is.
   */
  links?: {
    [k: string]: Position;
  };
}
/**
 * The labs on this server.
 */
export interface LabList {
  /**
   * In the order of the lab CLIs, and in that of each.
   */
  labs: Lab[];
  /**
   * Of a cluster, and only where there are any: the hosts that did not answer, and whose part is missing.
   */
  missingHosts?: string[];
}
/**
 * A lab as it was computed, with all its addresses.
 */
export interface LabTopology {
  /**
   * In the order of the topology.
   */
  nodes: TopologyNode[];
  /**
   * In the order of the topology.
   */
  links: TopologyLink[];
}
/**
 * A node of a topology.
 */
export interface TopologyNode {
  /**
   * As the topology calls it.
   */
  name: string;
  /**
   * Its device type, such as `frr`, or null.
   */
  device: string | null;
  /**
   * `router`, `host`, `bridge` or another word of the lab CLI; null when that says none.
   */
  role: string | null;
  /**
   * The groups of the topology that it is in.
   */
  groups: string[];
  /**
   * The addresses of its loopback (with prefix lengths); null without one.
   */
  loopback: Addresses | null;
  /**
   * In the order of its links.
   */
  interfaces: TopologyInterface[];
}
/**
 * An interface of a node.
 */
export interface TopologyInterface {
  /**
   * As the device calls it, such as `eth1`.
   */
  name: string;
  /**
   * The `id` of its link; null for one that is on none.
   */
  link: string | null;
  /**
   * With prefix length, such as `10.1.0.1/30`; null where it has none.
   */
  ipv4: string | null;
  /**
   * With prefix length, such as `2001:db8:1::1/64`; null where it has none.
   */
  ipv6: string | null;
}
/**
 * A link of a topology.
 */
export interface TopologyLink {
  /**
   * Names the link in this topology.
   */
  id: string;
  /**
   * `p2p`, `lan`, `stub`, `loopback` or another word of the lab CLI.
   */
  type: string;
  /**
   * What its addresses are from.
   */
  prefix: Addresses;
  /**
   * One for a stub, two, or more on a shared network.
   */
  endpoints: TopologyEndpoint[];
}
/**
 * One end of a link.
 */
export interface TopologyEndpoint {
  /**
   * The `name` of the node.
   */
  node: string;
  /**
   * The `name` of its interface.
   */
  interface: string;
  /**
   * With prefix length, such as `10.1.0.1/30`; null where it has none.
   */
  ipv4: string | null;
  /**
   * With prefix length, such as `2001:db8:1::1/64`; null where it has none.
   */
  ipv6: string | null;
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
 * A lab CLI of a server.
 */
export interface ListedLabCli {
  /**
   * What `LAB_API_CLI` calls it: `netlab`, `engine`, `containerlab`.
   */
  name: string;
  /**
   * By action: the options that it has with other lab CLIs only, and is refused with on this server.
   */
  otherOptions: {
    [k: string]: string[];
  };
  /**
   * What it says of itself; null when it does not, or is not there.
   */
  version: string | null;
  /**
   * Whether it is on this machine now.
   */
  isInstalled: boolean;
}
/**
 * A test that a lab has.
 */
export interface ListedTest {
  /**
   * As `tests` of a job names it.
   */
  name: string;
  /**
   * What it is to show; null when the topology does not say.
   */
  description: string | null;
  /**
   * The nodes that it is run on; none for one that only waits.
   */
  nodes: string[];
  /**
   * The devices that it knows what to do on; empty for any.
   */
  devices: string[];
  /**
   * How long it is tried, in seconds; null for once.
   */
  waitSeconds: number | null;
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
 * Who wants a session: a user with a password, or a token.
 */
export interface Login {
  /**
   * The name of the user.
   */
  user?: string;
  /**
   * The password of the user.
   */
  password?: string;
  /**
   * A token, in place of the two.
   */
  token?: string;
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
 * Whose a lab or a workspace is.
 */
export interface Owner {
  /**
   * The name of a user, which nobody looks up; null: nobody, but for administrators.
   */
  owner: string | null;
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
   * The id of the job that has the working directory (`workdir-busy`, `workspace-busy`).
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
   * What is looked at: `jobs-directory`, `free-disk`, `job-records`, `job-starts`, `lab-cli`, `audit-file`.
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
   * Of a cluster: the host that it happened on.
   */
  host?: string;
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
  /**
   * What it is called in its cluster (`GET /hosts`); null for a service that works alone.
   */
  host: string | null;
  /**
   * The program that runs its labs; null when there is none.
   */
  labCli: LabCli | null;
  /**
   * All of them, by the names that `cli` of a job may have; the first is that of jobs and labs that name none.
   */
  labClis: ListedLabCli[];
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
   * The path of `/labs` on this server.
   */
  labs: string;
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
 * Who asks, and what that user may do.
 */
export interface Session {
  /**
   * Who I am; null on a server where nobody logs in.
   */
  user: string | null;
  /**
   * What I am on this server. Whoever comes where nobody logs in is `admin`.
   */
  role: 'viewer' | 'operator' | 'admin';
  /**
   * What I may: routes name one of these as `x-permission`, unless they are `public`.
   */
  permissions: ('read' | 'operate' | 'administer')[];
  /**
   * The only directories that I may see, besides workspaces of my own; null for all.
   */
  workdirs: string[] | null;
  /**
   * How I am known. `nothing`: nobody logs in here.
   */
  loggedInBy: 'nothing' | 'password' | 'token' | 'session' | 'proxy' | 'host';
  /**
   * When that ends by itself (RFC 3339, UTC): the session, or the token; null for never.
   */
  expiresAt: string | null;
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
   * The lab CLI that it is for, as `GET /` calls it.
   */
  cli: string;
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
   * The device types of its nodes, as far as it says.
   */
  devices: string[];
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
  /**
   * Whether nothing is known that keeps this server from running it. The lab CLI alone knows all of it: `create` tries it.
   */
  runnable: boolean;
  /**
   * What keeps this server from running it, as sentences for a person: a device that the lab CLI does not have, a program of the provider that is not installed.
   */
  obstacles: string[];
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
/**
 * The tests of a lab.
 */
export interface TestList {
  /**
   * In the order in which they are run.
   */
  tests: ListedTest[];
}
/**
 * A directory that clients bring files to, and run labs in.
 */
export interface Workspace {
  /**
   * What it is called; for `workspace` of a job.
   */
  name: string;
  /**
   * Where it is on the lab server: absolute, without symbolic links.
   */
  workdir: string;
  /**
   * Who logged in to make it; null without authentication.
   */
  owner: string | null;
  /**
   * How much its files have together, in bytes; a few seconds old at most.
   */
  size: number;
  /**
   * How many files it has, in all its directories.
   */
  files: number;
  /**
   * When it was made (RFC 3339, UTC).
   */
  createdAt: string;
  /**
   * When anything in it was last changed (RFC 3339, UTC).
   */
  modifiedAt: string;
  /**
   * The lab instance that lives there, or null.
   */
  lab: string | null;
  /**
   * The id of the job that runs or waits there, or null.
   */
  job: string | null;
}
/**
 * A file or a directory in a workspace.
 */
export interface WorkspaceFile {
  /**
   * Below the workspace, with slashes.
   */
  path: string;
  /**
   * `other`: a link, or something special; it is not served.
   */
  kind: 'file' | 'directory' | 'other';
  /**
   * How long the file is, in bytes; 0 for anything else.
   */
  size: number;
  /**
   * When it was last changed (RFC 3339, UTC).
   */
  modifiedAt: string;
}
/**
 * What is in a directory of a workspace.
 */
export interface WorkspaceFileList {
  /**
   * Sorted by name; a directory before what is in it.
   */
  files: WorkspaceFile[];
  /**
   * Whether there are more: 10,000 are listed at most.
   */
  truncated: boolean;
}
/**
 * The workspaces of this server.
 */
export interface WorkspaceList {
  /**
   * Sorted by name.
   */
  workspaces: Workspace[];
  /**
   * Of a cluster, and only where there are any: the hosts that did not answer, and whose part is missing.
   */
  missingHosts?: string[];
}
/**
 * A file that was written.
 */
export interface WrittenFile {
  /**
   * Below the workspace.
   */
  path: string;
}

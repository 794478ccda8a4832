/**
 * Every expected failure by the name that clients see as `code`, in one table. The replies, the description of the API
 * and the cluster read it; a test compares it with docs/api.md. The list is closed: a new version may add to it.
 */
interface ErrorSpec {
  /** The HTTP status. */
  readonly status: number;
  /** A part of a sentence for readers of the API. */
  readonly meaning: string;
  /** Whether another host of the cluster may accept the job that this host refuses. */
  readonly isOfOneHost?: true;
}

const errorTable = {
  'invalid-request': { status: 400, meaning: 'a field, parameter or header is wrong; `errors` names each' },
  'invalid-json': { status: 400, meaning: 'the body is not JSON' },
  unauthorized: {
    status: 401,
    meaning: 'a login is missing or wrong: a user name and password, a token, or a session',
  },
  'too-many-attempts': {
    status: 429,
    meaning: 'too many failed logins from this address, or too many passwords to look at',
  },
  forbidden: { status: 403, meaning: 'the user who is logged in may not do this; `detail` says why' },
  'forbidden-path': {
    status: 403,
    meaning: 'outside the directories that the service (`LAB_API_ROOTS`) or the user may use',
    isOfOneHost: true,
  },
  'forbidden-host': {
    status: 403,
    meaning:
      "an address that is not fetched from, or a name that is not this server's (`LAB_API_ALLOWED_HOSTS`)",
  },
  'cross-site': { status: 403, meaning: 'a browser sent this for a page of another site' },
  'login-expired': {
    status: 403,
    meaning: 'the login at the identity provider took too long, or was begun in another browser',
  },
  'login-refused': {
    status: 403,
    meaning: 'the identity provider refused the login, or gave no role on this server; `detail` says why',
  },
  'not-found': { status: 404, meaning: 'no such path' },
  'job-not-found': { status: 404, meaning: 'no such job' },
  'log-not-found': { status: 404, meaning: "the job's log is gone" },
  'instance-not-found': { status: 404, meaning: 'no such lab instance' },
  'node-not-found': { status: 404, meaning: 'the lab has no such node' },
  'link-not-found': { status: 404, meaning: 'the lab has no such link' },
  'report-not-found': { status: 404, meaning: 'the lab CLI has no report with this name' },
  'interface-not-found': { status: 404, meaning: 'the node has no such interface' },
  'workdir-not-found': { status: 404, meaning: 'no such working directory', isOfOneHost: true },
  'topology-not-found': { status: 404, meaning: 'no such topology file', isOfOneHost: true },
  'source-not-found': {
    status: 404,
    meaning: 'there is no such repository, or it has no such branch, tag, commit or directory (`source`)',
  },
  'directory-not-found': { status: 404, meaning: 'no such directory' },
  'host-not-found': { status: 404, meaning: 'the cluster has no such host, or the service is in no cluster' },
  'user-not-found': { status: 404, meaning: 'no such user' },
  'group-not-found': { status: 404, meaning: 'the users file has no such group' },
  'token-not-found': { status: 404, meaning: 'no such token, or another user has it' },
  'session-not-found': { status: 404, meaning: 'no such session, or another user has it' },
  'workspace-not-found': { status: 404, meaning: 'no such workspace' },
  'snapshot-not-found': { status: 404, meaning: 'no such snapshot' },
  'file-not-found': { status: 404, meaning: 'no such file' },
  'image-not-found': { status: 404, meaning: 'no such image' },
  'method-not-allowed': { status: 405, meaning: 'the path has other methods; see `Allow`' },
  conflict: {
    status: 409,
    meaning:
      'the job had ended before, a job is in the directory of the lab, or the users file does not allow the change: it cannot be done now',
  },
  'job-active': { status: 409, meaning: 'the job has not ended; `state` tells where it is' },
  'workdir-busy': {
    status: 409,
    meaning: '`onConflict` is `reject`, and `conflictingJobId` has the directory',
  },
  'lab-not-up': { status: 409, meaning: 'the lab, or the node, is not up' },
  'ssh-off': { status: 409, meaning: 'the server has no SSH gateway (`LAB_API_SSH_PORT`)' },
  'no-free-id': {
    status: 409,
    meaning: 'every multilab id from 1 to 200 is taken: a lab has to be stopped first',
    isOfOneHost: true,
  },
  'workspace-busy': {
    status: 409,
    meaning:
      'a lab or a job (`conflictingJobId`) is in the workspace, or another upload; for `source`: it has files that did not come from Git',
  },
  'snapshot-exists': { status: 409, meaning: 'there is a snapshot of this name' },
  'wrong-settings': {
    status: 409,
    meaning: 'the settings on the server are wrong and stay as they were; `detail` names each',
  },
  'precondition-failed': { status: 412, meaning: 'the file is not what `If-Match` or `If-None-Match` says' },
  'request-timeout': { status: 408, meaning: 'the request did not come in time' },
  'payload-too-large': {
    status: 413,
    meaning:
      'the body is over 1 MiB; of an upload: a file, a workspace, an image or the ratio of an archive is over its limit',
  },
  'unsupported-media-type': {
    status: 415,
    meaning: 'an archive of another type than `application/gzip` or `application/zip`',
  },
  'archive-refused': {
    status: 422,
    meaning:
      'the archive is damaged, or has an unsafe path in it; of a workspace: a link or a special file; of an image: it is for another kind of machine, or has no shell',
  },
  'range-not-satisfiable': { status: 416, meaning: 'the log or the file is shorter' },
  'expectation-failed': { status: 417, meaning: 'an `Expect` header other than `100-continue`' },
  'idempotency-key-reused': {
    status: 422,
    meaning: 'the key stands for another request, which made `jobId`',
  },
  'queue-full': {
    status: 429,
    meaning:
      'too many jobs are waiting (`LAB_API_MAX_QUEUED_JOBS`), or too many uploads, snapshots or restores are under way',
    isOfOneHost: true,
  },
  'too-many-sessions': { status: 429, meaning: 'too many commands, captures, logs or terminals are open' },
  'upgrade-required': { status: 426, meaning: 'a WebSocket is spoken here' },
  'headers-too-large': { status: 431, meaning: 'the request line and the headers are over 16 KiB' },
  'provider-unavailable': {
    status: 503,
    meaning: 'the identity provider (`LAB_API_OIDC_ISSUER`) gave no answer',
  },
  'shutting-down': { status: 503, meaning: 'the service is about to stop', isOfOneHost: true },
  'host-unavailable': {
    status: 503,
    meaning: 'the host of the cluster that has this does not answer, or takes no labs',
    isOfOneHost: true,
  },
  'cluster-unavailable': {
    status: 503,
    meaning: 'Redis does not answer, and with it the other hosts cannot be found',
    isOfOneHost: true,
  },
  'disk-full': {
    status: 503,
    meaning: 'too little of the disk is free (`LAB_API_MIN_FREE_DISK`)',
    isOfOneHost: true,
  },
  'over-quota': {
    status: 403,
    meaning:
      'the user, a group of the user or the server may not have more of it (`quotas` of the users file); `quota` tells how much is used, and how much would fit',
  },
  'quota-exceeded': {
    status: 507,
    meaning:
      'all workspaces, all snapshots or all images together are at their limit (`LAB_API_MAX_ALL_WORKSPACES_SIZE`, `LAB_API_MAX_ALL_SNAPSHOTS_SIZE`, `LAB_API_MAX_ALL_IMAGES_SIZE`)',
  },
  'storage-fault': {
    status: 503,
    meaning: 'the jobs directory, the directory of workspaces or the audit file cannot be written or read',
  },
  'lab-cli-missing': { status: 503, meaning: 'there is no lab CLI on this server', isOfOneHost: true },
  'lab-cli-failed': {
    status: 502,
    meaning: 'the lab CLI could not tell the status; `output` has its last lines',
  },
  'lab-cli-timeout': {
    status: 504,
    meaning: 'the lab CLI took too long to tell the status (`LAB_API_STATUS_TIMEOUT`)',
  },
  'topology-download-failed': {
    status: 502,
    meaning: 'the topology could not be fetched from `topologyUrl`',
  },
  'source-failed': {
    status: 502,
    meaning: 'the repository (`source`) could not be read; `detail` says why',
  },
  'not-supported': {
    status: 422,
    meaning: 'the lab CLI, the node or this server has no way to do it; `detail` says why',
  },
  internal: { status: 500, meaning: 'a fault of the service; its log has the details' },
} as const satisfies Readonly<Record<string, ErrorSpec>>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as readonly ErrorCode[];

export function errorSpec(code: ErrorCode): ErrorSpec {
  return errorTable[code];
}

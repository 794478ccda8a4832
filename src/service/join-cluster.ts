/** Joins this host to the others, where it is to be one of several (docs/cluster.md). */
import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Principal } from '../access/model/principal.ts';
import type { Audit } from '../access/audit/audit.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { OwnHost } from '../cluster/own-host.ts';
import { principalOf } from '../cluster/model/asker-principal.ts';
import type { Asker } from '../cluster/model/message.ts';
import { asksForLogin, isLoopback } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import type { AuditEntry } from '../access/model/audit.ts';
import { isKeyKept } from '../jobs/model/idempotency-claim.ts';
import type { JobView } from '../jobs/model/job-view.ts';
import type { Job } from '../jobs/model/job.ts';
import type { JobSummary } from '../jobs/store/job-summary.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { specOf } from '../labs/model/actions.ts';
import type { Labs } from '../labs/labs.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { AppError } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import { after } from '../lib/async/disposal.ts';
import { expandHome } from '../lib/files/home.ts';
import { keyPin } from '../lib/net/key-pin.ts';
import type { Logger } from '../lib/logger.ts';
import type { UserQuotas } from '../quotas/user-quotas.ts';
import type { UserJobs } from '../restricted/user-jobs.ts';
import { version } from '../version.ts';

/** The code of clusters, with BullMQ and its client of Redis: loaded only for a cluster. @throws ConfigError. */
export async function loadClusterCode({ cluster }: Config): Promise<ClusterCode | undefined> {
  if (cluster === undefined) return undefined;
  try {
    return (await import('../cluster/cluster.ts')).Cluster;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new ConfigError([
      'LAB_API_REDIS_URL: the packages bullmq and ioredis are not installed: npm install bullmq ioredis',
    ]);
  }
}

export type ClusterCode = typeof Cluster;

interface Parts {
  readonly store: JobStore;
  readonly labs: Labs;
  readonly workspaces: Workspaces;
  readonly audit: Audit;
  readonly quotas: UserQuotas;
  /** Where the service listens, with its base path. */
  readonly url: string;
  /** The service as each user may have it. */
  readonly contextOf: (principal: Principal) => { readonly jobs: UserJobs };
}

interface JoinDeps {
  readonly code: ClusterCode;
  readonly config: Config;
  readonly parts: () => Parts;
  readonly log: Logger;
}

/** How the others know this host: by its key, unless some other server is in front of it. */
function ownPin({ tls, cluster }: Config): string | null {
  if (!tls || (cluster?.hostUrl !== undefined && !cluster.hostUrl.startsWith('https:'))) return null;
  try {
    return keyPin(new X509Certificate(readFileSync(tls.certFile)));
  } catch {
    // The file is being replaced; it is read again a few seconds later.
    return null;
  }
}

/** The labs on record, as far as they are known now. */
function recordedLabs(labs: Labs) {
  return labs.lastFound().map(({ id, directory }) => ({ instance: id, directory }));
}

function isOwnPlace({ parts }: JoinDeps): OwnHost['isOwnPlace'] {
  return async ({ workspace, directory, instance }) => {
    const { store, labs, workspaces } = parts();
    if (workspace !== undefined) return workspaces.isTaken(workspace);
    const recorded = recordedLabs(labs);
    if (directory === undefined) return recorded.some((lab) => lab.instance === instance);
    if (recorded.some((lab) => lab.directory === directory)) return true;
    return (await boundDirectories(store, directory)).length > 0;
  };
}

function factsOf({ config, parts }: JoinDeps): OwnHost['facts'] {
  return () => {
    const { store, labs, url } = parts();
    const unfinished = store.unfinished();
    const queued = unfinished.filter(({ state }) => state === 'queued').length;
    return {
      name: config.cluster?.hostName ?? '',
      url: config.cluster?.hostUrl ?? url,
      pin: ownPin(config),
      version,
      labels: [...(config.cluster?.hostLabels ?? [])],
      clis: labs.clis().flatMap(([name, cli]) => (cli ? [name] : [])),
      capacity: config.live.maxRunningJobs,
      running: unfinished.length - queued,
      queued,
      memoryBytes: os.totalmem(),
      // libuv reads `MemAvailable`, which counts the memory that caches would return.
      freeMemoryBytes: os.freemem(),
      labs: recordedLabs(labs),
    };
  };
}

/** Of a job that was handed over without a key of the client's own. */
const isNonce = /^cluster:[\da-f-]{36}$/;
const everyOne = Number.MAX_SAFE_INTEGER;
/** How long the jobs of this host wait for Redis at its start. */
const joinWithinMs = 2_000;

/** A directory is this host's own from the first job that starts a lab there until it was cleaned up. All of them, or that one. */
async function boundDirectories(store: JobStore, only?: string): Promise<readonly string[]> {
  const isBound = new Map<string, boolean>();
  const jobs = store.select(
    ({ workspace, workdir }) => workspace === null && (only === undefined || workdir === only),
    everyOne,
  );
  // The newest first.
  for (const { id, action, state, workdir } of jobs) {
    if (isBound.has(workdir)) continue;
    if (specOf(action).needsTopology) isBound.set(workdir, true);
    else if (action === 'down' && state === 'success' && (await store.get(id))?.request['cleanup'] === true)
      isBound.set(workdir, false);
  }
  return [...isBound].flatMap(([directory, is]) => (is ? [directory] : []));
}

async function placesOf(parts: Parts) {
  const directories = new Set([
    ...recordedLabs(parts.labs).map(({ directory }) => directory),
    ...parts.store.unfinished().map(({ workdir }) => workdir),
    ...(await boundDirectories(parts.store)),
  ]);
  const workspaces = await parts.workspaces.store.names();
  return [
    ...[...directories].map((name) => ({ kind: 'directory' as const, name })),
    ...workspaces.map((name) => ({ kind: 'workspace' as const, name })),
  ];
}

/** The line of the audit for a job that came through Redis; the host that was asked has one of its own. */
function handedOver({ id, action, workdir }: JobView, { name, role }: Principal): AuditEntry {
  return {
    event: 'request',
    requestId: id,
    ...(name !== null && { user: name }),
    role,
    loggedInBy: 'host',
    operation: 'submitJob',
    method: 'POST',
    path: '/jobs',
    status: 202,
    job: id,
    action,
    workdir,
  };
}

function ownHost(deps: JoinDeps): OwnHost {
  const { config, parts } = deps;
  const jobsFor = (principal: Principal): UserJobs => parts().contextOf(principal).jobs;
  const admitted = (asker: Asker): Principal => {
    if (asker !== null || !asksForLogin(config)) return principalOf(asker);
    throw new AppError('unauthorized', 'the other host requires a login, and this host has no users');
  };
  return {
    name: config.cluster?.hostName ?? '',
    facts: factsOf(deps),
    jobIds: () =>
      parts()
        .store.select(() => true, everyOne)
        .map(({ id }) => id),
    rowOf: (id) => {
      const summary = parts().store.summary(id);
      return summary && { ...summary, host: '' };
    },
    places: async () => placesOf(parts()),
    claims: () =>
      parts()
        .store.select(({ idempotency }) => idempotency !== null && !isNonce.test(idempotency.key), everyOne)
        .map(({ requestedBy, idempotency }) => ({ user: requestedBy, key: idempotency?.key ?? '' })),
    hasRoom: (coming) => parts().store.unfinished().length + coming < config.live.maxRunningJobs,
    isOwnKey: ({ user, key }) => {
      const isOfKey = ({ requestedBy, idempotency, createdAt }: JobSummary): boolean =>
        requestedBy === user && idempotency?.key === key && isKeyKept(createdAt);
      return parts().store.select(isOfKey, 1).length > 0;
    },
    isOwnPlace: isOwnPlace(deps),
    usage: () => parts().quotas.usage(),
    submit: async (body, asker, claim) => {
      const principal = admitted(asker);
      const accepted = await jobsFor(principal).submit(body, { requestedBy: principal.name, claim });
      parts().audit.note(handedOver(accepted.job, principal));
      return accepted;
    },
    view: async (id, asker) => (await jobsFor(admitted(asker)).find(id, 'read')).view(),
    cancel: async (id, asker, force) => {
      const job = await jobsFor(admitted(asker)).find(id, 'change');
      return job.cancel({ by: asker?.name ?? null, force, waitMs: 0 });
    },
    onForged: (nonce) =>
      parts().audit.note({
        event: 'request',
        requestId: nonce.slice(0, 128),
        operation: 'clusterMessage',
        method: 'POST',
        path: '/jobs',
        address: 'redis',
        status: 401,
        error: 'unauthorized',
      }),
  };
}

/** Whether a job that was taken meanwhile is to start a lab in the directory. */
function isAwaited(store: JobStore, directory: string): boolean {
  return store
    .unfinished()
    .some(({ workdir, action }) => workdir === directory && specOf(action).needsTopology);
}

/** Publishes changes of the jobs and places of this host to the other hosts. */
function tellChanges(cluster: Cluster, { parts }: JoinDeps): void {
  const { store } = parts();
  store.on('removed', ({ id }) => cluster.noteJob(id));
  store.on('found', ({ id }) => cluster.noteJob(id));
  store.on('change', (job, before) => {
    cluster.noteJob(job.id);
    if (before === undefined) void noteNew(cluster, job);
    if (!isCleanedUp(job)) return;
    const isWanted = (): boolean => isAwaited(store, job.workdir);
    for (const name of namesOf(job)) void cluster.noteFree('directory', name, isWanted);
  });
}

/** Whether nothing of a lab is left in its directory, which is not a workspace. */
function isCleanedUp({ state, action, request, workspace }: Job): boolean {
  return state === 'success' && action === 'down' && request['cleanup'] === true && workspace === null;
}

/** Its directory as it is, and as it was called. */
function namesOf({ workdir, request }: Job): readonly string[] {
  const { workdir: called } = request;
  return typeof called === 'string' ? [workdir, path.resolve(process.cwd(), expandHome(called))] : [workdir];
}

async function noteNew(cluster: Cluster, { action, workspace, workdir }: Job): Promise<void> {
  if (!specOf(action).needsTopology) return;
  await (workspace === null
    ? cluster.noteOwn('directory', workdir)
    : cluster.noteOwn('workspace', workspace));
}

/**
 * Joins the cluster, then calls `start`: a job that was canceled while this host was away must not start first. Where Redis does
 * not answer in time, `start` comes first. @throws Error with a sentence when another host has the name of this one.
 */
export async function joinFirst(cluster: Cluster | undefined, start: () => void): Promise<void> {
  const joined = cluster?.open();
  const late = deferred<void>();
  const stopTimer = after(joinWithinMs, late.resolve);
  await Promise.race([joined, late.promise]).finally(stopTimer);
  start();
  await joined;
}

/** Nothing is asked of Redis before `open`. */
export function createCluster(deps: JoinDeps): Cluster {
  const { code, config, log } = deps;
  if (config.cluster === undefined) throw new Error('this service is to work alone');
  const { redisUrl, secret } = config.cluster;
  if (config.cluster.hostUrl === undefined && isLoopback(config.bind))
    log.warn('hosts on other machines cannot reach this one: set LAB_API_BIND, or LAB_API_HOST_URL', {
      bind: config.bind,
    });
  const cluster = new code({ redisUrl, secret, dataDir: config.dataDir, own: ownHost(deps), log });
  tellChanges(cluster, deps);
  return cluster;
}

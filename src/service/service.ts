/** All parts of the service, built in order and joined; how it starts and how it stops. */
import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { Audit } from '../access/audit/audit.ts';
import { announceStart } from './announce-start.ts';
import type { UserDirectory } from '../access/users/user-directory.ts';
import type { Config } from '../config/config.ts';
import type { RunningSettings, SettingsChange } from '../config/running-settings.ts';
import { listenError } from '../config/listen-error.ts';
import { createHttp, type Admit } from './create-http.ts';
import { DiskUsage } from './disk-use.ts';
import { createJobUser, openJobUser } from './create-job-user.ts';
import { createMetrics } from './create-metrics.ts';
import { createLogins } from './create-logins.ts';
import { listenForSsh } from './create-ssh.ts';
import { createServiceLabs } from './create-service-labs.ts';
import { createUsers, openUsers } from './create-users.ts';
import { createWorkspaces, prepareWorkspaces, removeUnused } from './create-workspaces.ts';
import { createEvents } from '../events/create-events.ts';
import type { LocalEvents } from '../events/local-events.ts';
import type { Webhooks } from '../events/webhooks/webhooks.ts';
import { noteUrl, prepareDataDir } from '../jobs/store/data-dir-owner.ts';
import type { JobChange } from '../jobs/job-service.ts';
import { isTerminal } from '../jobs/model/job.ts';
import { createJobs, type Callbacks } from '../jobs/create-jobs.ts';
import { watchFreeDisk } from '../jobs/run/disk-watch.ts';
import type { JobsLifecycle } from '../jobs/jobs-lifecycle.ts';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Labs } from '../labs/labs.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { createOwners } from './create-owners.ts';
import { createFaults } from '../faults/create-faults.ts';
import type { LabFaults } from '../faults/lab-faults.ts';
import { createScenarios } from '../scenarios/create-scenarios.ts';
import { createLeases } from '../leases/create-leases.ts';
import type { LabLeases } from '../leases/lab-leases.ts';
import type { Principal } from '../access/model/principal.ts';
import type { LabOwners } from '../owners/lab-owners.ts';
import type { UserQuotas } from '../quotas/user-quotas.ts';
import { Disposer, every } from '../lib/async/disposal.ts';
import { formatDuration } from '../lib/text/duration.ts';
import { inTime } from '../lib/async/in-time.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import { createCluster, joinFirst, type ClusterCode } from './join-cluster.ts';
import { oldJobsRemoval, retentionIntervalMs } from './remove-old-jobs.ts';
import { checkReadiness } from './readiness.ts';
import { createSelfSigned, type SelfSigned } from '../tls/self-signed.ts';
import { version } from '../version.ts';

/** How long a stop may take: less than the 10 s after which Docker kills by default. */
const stopLimitMs = 8_000;
/** How long to wait for the ends of jobs that are canceled by a stop; docs/docker.md advises 60 s for both. */
const cancelLimitMs = 45_000;

interface ServiceOptions {
  /** Which requests a server without users accepts; all by default. */
  readonly admit?: Admit;
  /** Of a host of a cluster. */
  readonly clusterCode?: ClusterCode | undefined;
}

export class LabApiService {
  readonly log: Logger;
  readonly #config: Config;
  readonly #settings: RunningSettings;
  readonly #users: UserDirectory;
  readonly #logins: ReturnType<typeof createLogins>;
  readonly #labs: Labs;
  readonly #workspaces: Workspaces;
  readonly #leases: LabLeases;
  readonly #faults: LabFaults;
  readonly #scenarios: ReturnType<typeof createScenarios>['server'];
  readonly #owners: LabOwners;
  readonly #quotas: UserQuotas;
  readonly #store: JobStore;
  readonly #jobs: LocalJobs;
  readonly #lifecycle: JobsLifecycle;
  readonly #events: LocalEvents;
  readonly #webhooks: Webhooks;
  readonly #audit: Audit;
  readonly #metrics: ServiceMetrics;
  readonly #http: ReturnType<typeof createHttp>;
  readonly #selfSigned: SelfSigned | undefined;
  readonly #cluster: ReturnType<typeof createCluster> | undefined;
  readonly #shutdown = new AbortController();
  readonly #disposer = new Disposer();
  #giveUpDataDir: (() => Promise<void>) | undefined;
  #giveUpWorkspaces: (() => Promise<void>) | undefined;
  #isStopping = false;
  /** Where it listens, with its base path. */
  #url = '';

  /** @throws ConfigError when the lab CLIs or the TLS files cannot be used. */
  constructor(settings: RunningSettings, log: Logger, { admit, clusterCode }: ServiceOptions = {}) {
    const { config, env } = settings;
    // Each stream and each wait listens, as many as there are clients.
    setMaxListeners(0, this.#shutdown.signal);
    [this.#settings, this.#config, this.log] = [settings, config, log];
    this.#audit = new Audit({ ...config, log });
    const [parts, shutdown, runAs] = [() => this.#parts(), this.#shutdown.signal, createJobUser(config, env)];
    this.#metrics = createMetrics(config, parts);
    this.#logins = createLogins(config, (this.#users = createUsers(config, log)), log);
    const { workspaces, forLabs } = createWorkspaces({ ...config, env, shutdown, runAs }, parts, log);
    const told = { ...forLabs, statusObserver: this.#metrics.status };
    const { server: scenarios, ownJobs } = createScenarios({ ...config, env, parts, shutdown, log });
    const { labs, forJobs, images } = createServiceLabs({ ...config, env, shutdown, ownJobs, ...told });
    [this.#workspaces, this.#labs, this.#scenarios] = [workspaces, labs, scenarios];
    const { freeIds, leases } = createLeases({ config, labs: this.#labs, parts, log });
    const faults = (this.#faults = createFaults({ ...config, labs: this.#labs, parts, shutdown, log }));
    ({ owners: this.#owners, quotas: this.#quotas } = createOwners({ ...config, labs, parts, log }));
    const { store, postponed, jobs, lifecycle } = createJobs({
      directory: path.join(config.dataDir, 'jobs'),
      lab: forJobs,
      settings: config.live,
      log,
      onKill: this.#metrics.jobs.killed,
      callbacks: this.#callbacks(),
      freeIds,
      leases,
      host: config.cluster?.hostName ?? null,
    });
    [this.#store, this.#jobs, this.#lifecycle, this.#leases] = [store, jobs, lifecycle, leases];
    this.#watch(jobs, freeIds);
    const common = { jobs, labs, log };
    const watched = { ...common, store, version };
    ({ events: this.#events, webhooks: this.#webhooks } = createEvents({ ...config, ...watched }));
    const looksAt = { ...config, env, store, postponed, audit: this.#audit, clis: () => this.#labs.clis() };
    this.#cluster = clusterCode && createCluster({ code: clusterCode, config, parts, log });
    this.#http = createHttp({
      config,
      users: this.#users,
      ...this.#logins.parts,
      ...common,
      events: this.#events,
      images,
      workspaces,
      leases,
      faults,
      owners: this.#owners,
      quotas: this.#quotas,
      readiness: () => checkReadiness(looksAt),
      metrics: this.#metrics,
      disk: new DiskUsage({ ...config, workspaces, store, images, shutdown }),
      audit: this.#audit,
      shutdown,
      cluster: this.#cluster,
      url: () => this.#url,
      reload: () => this.reload(),
      admit,
    });
    this.#selfSigned = createSelfSigned(config, log);
  }

  /** A function, because the parts are made later than their users. */
  #parts() {
    return {
      store: this.#store,
      jobs: this.#jobs,
      events: this.#events,
      labs: this.#labs,
      audit: this.#audit,
      webhooks: this.#webhooks,
      faults: this.#faults,
      workspaces: this.#workspaces,
      users: this.#users,
      quotas: this.#quotas,
      metrics: this.#metrics,
      snapshots: () => this.#http.snapshots,
      cluster: this.#cluster,
      url: this.#url,
      contextOf: (principal: Principal) => this.#http.contexts.of(principal),
    };
  }

  #watch(jobs: LocalJobs, freeIds: { readonly noteEnd: (job: JobChange) => void }): void {
    jobs.onChange(this.#metrics.jobs.changed);
    jobs.onChange((job) => {
      this.#workspaces.noteJob(job.workdir, isTerminal(job.state));
      if (job.state === 'running' || isTerminal(job.state)) this.#labs.noteChange();
      if (!isTerminal(job.state)) return;
      freeIds.noteEnd(job);
      this.#faults.noteJob(job);
    });
  }

  /** They need not be there before the first job. */
  #callbacks(): Callbacks {
    return {
      check: async (url) => this.#webhooks.check(url),
      stateOf: (id) => this.#webhooks.stateOf(id),
    };
  }

  /**
   * Recovers jobs, then listens; gives the URL, or undefined when the service was stopped meanwhile.
   * @throws ConfigError when the users file is of no use; Error with one sentence for a person.
   */
  async start(): Promise<string | undefined> {
    const { config, log } = { config: this.#config, log: this.log };
    this.#disposer.add(await openUsers(this.#users));
    this.#giveUpDataDir = await prepareDataDir(config.dataDir, { version, log });
    await this.#audit.open();
    await this.#logins.open();
    this.#giveUpWorkspaces = await prepareWorkspaces(config, this.#workspaces);
    await this.#store.prepare();
    const places = [config.dataDir, this.#store.directory, this.#workspaces.store.directory];
    await openJobUser(this.#labs.runAs, places);
    await this.#store.load();
    // Before any job changes: events that an earlier service did not send go first.
    for (const part of [this.#events, this.#webhooks, this.#labs, this.#leases]) await part.open();
    for (const part of [this.#faults, this.#scenarios, this.#owners, this.#http.snapshots]) await part.open();
    this.#disposer.add(await this.#quotas.open());
    await this.#cluster?.prepare();
    const recovered = await this.#lifecycle.recover();
    log.info('jobs of the last run', { ...recovered });
    this.#metrics.jobs.recovered(recovered);
    this.#disposer.add(this.#metrics.start());
    // 100,000 records take a second or two to read.
    if (this.#isStopping) return undefined;
    await this.#selfSigned?.open();
    this.#disposer.add(watchFreeDisk({ limits: config.live, directory: this.#store.directory, log }));
    const retention = { store: this.#store, rules: config.live, log, shutdown: this.#shutdown.signal };
    const removeOldJobs = oldJobsRemoval(retention);
    this.#disposer.add(every(retentionIntervalMs, () => void removeOldJobs()));
    const url = await this.#http.server.listen(config.bind, config.port).catch((error: unknown) => {
      throw listenError(error, config);
    });
    this.#url = `${url}${config.basePath}`;
    await listenForSsh(this.#http.ssh, config, log);
    await noteUrl(config.dataDir, this.#url);
    // Not before: a start that fails must not have started jobs.
    await joinFirst(this.#cluster, () => {
      if (this.#isStopping) return;
      this.#lifecycle.open();
      this.#leases.start();
      this.#faults.start();
      this.#webhooks.start();
    });
    await announceStart({ url, config, labs: this.#labs, jobsDirectory: this.#store.directory, log });
    // Not before: an administrator waits for the service, not for the removal of thousands of old jobs.
    void removeOldJobs();
    // The other hosts learn that the name is free.
    const onRemoved = (name: string): void => void this.#cluster?.noteWorkspace(name);
    this.#disposer.add(await removeUnused({ ...retention, workspaces: this.#workspaces, onRemoved }));
    return url;
  }

  /**
   * Takes a renewed certificate and key, the users file and the settings as they are now; goes on with a new audit file, should the
   * old one be moved away. @throws ConfigError when the settings are wrong, and stay as they were.
   */
  async reload(): Promise<SettingsChange> {
    this.#audit.reopen();
    const certificate = this.#http.server.reloadTls() ?? [];
    const users = this.#users.reload();
    void this.#selfSigned?.check();
    const { file, ...change } = this.#settings.reload();
    // More jobs may run now.
    if (!this.#isStopping) this.#lifecycle.startNext();
    if (file !== null) this.log.info('the settings were read again', { file, ...change });
    return { file, ...change, warnings: [...change.warnings, (await users) ?? [], certificate].flat() };
  }

  /**
   * Ends streams and connections. Running jobs go on, unless they are to be canceled.
   * @throws Error when that takes too long, whatever hangs: a disk that does not answer must not keep a restart waiting.
   */
  async stop({ cancelJobs }: { cancelJobs: boolean }): Promise<void> {
    const limitMs = cancelJobs ? cancelLimitMs + stopLimitMs : stopLimitMs;
    this.#isStopping = true;
    const why = `the service could not stop within ${formatDuration(limitMs)}: does a disk hang?`;
    await inTime(this.#stopInOrder(cancelJobs), limitMs, why);
  }

  async #stopInOrder(cancelJobs: boolean): Promise<void> {
    await this.#leases.stop();
    await this.#cluster?.close();
    await this.#lifecycle.close();
    if (cancelJobs) await this.#jobs.cancelAll(cancelLimitMs);
    await this.#scenarios.close();
    await this.#faults.stop();
    await this.#events.announceStop();
    this.#shutdown.abort();
    await Promise.all([this.#http.server.close(), this.#http.ssh.close()]);
    await this.#selfSigned?.close();
    this.#disposer.dispose();
    for (const part of [this.#logins, this.#owners, this.#store]) await part.close();
    await this.#events.flush();
    await this.#webhooks.close();
    await this.#events.close();
    await this.#giveUpWorkspaces?.();
    await this.#giveUpDataDir?.();
    // Last: requests that were cut off end a moment after the server has.
    await this.#audit.close();
    const runningJobs = this.#store.unfinished().filter((job) => job.state !== 'queued').length;
    this.log.info('lab-api has stopped', { runningJobs });
  }
}

/** Reads LAB_API_* and SSH_CONNECTION, builds every part in order and joins them. */
import { mkdir } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Config, Flags } from './config/config.ts';
import { ConfigError, loadConfig, unknownVariables } from './config/load-config.ts';
import { createApp } from './http/app.ts';
import { ApiServer } from './http/server.ts';
import { ownDataDir } from './jobs/data-dir-owner.ts';
import { JobService } from './jobs/job-service.ts';
import { LogGrowth } from './jobs/log.ts';
import { JobQueue } from './jobs/queue.ts';
import { applyRetention } from './jobs/retention.ts';
import { isTerminal } from './jobs/job.ts';
import { JobStore } from './jobs/store.ts';
import { Supervisor } from './jobs/supervisor.ts';
import { LabAdapter } from './lab-adapter.ts';
import { AllowedRoots } from './labs/allowed-roots.ts';
import { findLabCli, labCliEnvironment, labCliVersion, type LabCli } from './labs/lab-cli.ts';
import { run } from './labs/run.ts';
import { LabStatus } from './labs/status.ts';
import { messageOf } from './lib/app-error.ts';
import { Disposer, every } from './lib/disposal.ts';
import type { Logger } from './lib/logger.ts';
import { createLogger } from './logger.ts';
import { checkReadiness } from './readiness.ts';
import { version } from './version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const retentionIntervalMs = 3_600_000;

export interface Service {
  readonly log: Logger;
  /** Recovers jobs, then listens; gives the URL. @throws ConfigError, or an Error with one sentence for a person. */
  start(): Promise<string>;
  /** Ends streams and connections. Running jobs go on, unless they are to be canceled. */
  stop(options: { cancelJobs: boolean }): Promise<void>;
  /** Takes a renewed certificate and key. */
  reloadTls(): void;
}

function makeLogger(config: Config): Logger {
  const format = config.logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  return createLogger({ level: config.logLevel, format });
}

function makeStatus(
  config: Config,
  parts: { store: JobStore; findCli: () => LabCli | undefined; env: Environment; signal: AbortSignal },
): LabStatus {
  let epoch = 0;
  parts.store.on('change', (job) => {
    if (job.state === 'running' || isTerminal(job.state)) epoch += 1;
  });
  return new LabStatus({
    runCli: async (args) => {
      const cli = parts.findCli();
      if (!cli)
        return {
          exitCode: null,
          signal: null,
          stdout: Buffer.alloc(0),
          stderr: Buffer.alloc(0),
          ended: null,
          spawnError: 'no lab CLI',
        };
      const env = labCliEnvironment(cli, parts.env);
      return run(cli.file, args, { env, timeoutMs: config.statusTimeoutMs, signal: parts.signal });
    },
    maxAgeMs: config.statusMaxAgeMs,
    stateFile: path.join(os.homedir(), '.netlab', 'status.yaml'),
    epoch: () => epoch,
  });
}

/** What an administrator wants to know of a start. */
async function announce(
  url: string,
  config: Config,
  parts: { cli: LabCli | undefined; env: Environment; jobsDir: string; log: Logger },
): Promise<void> {
  const { cli, env, jobsDir, log } = parts;
  const cliVersion = cli && (await labCliVersion(cli, env));
  log.info('lab-api is listening', {
    url: `${url}${config.basePath}`,
    version,
    auth: config.auth ? 'on' : 'off',
  });
  if (cli) log.info('lab CLI found', { cli: cli.name, version: cliVersion ?? 'unknown', file: cli.file });
  else log.warn('no lab CLI was found: install netlab, or set LAB_API_CLI; jobs are refused until then');
  log.info('jobs directory', { directory: jobsDir });
  const isLoopback =
    config.bind === 'localhost' ||
    config.bind === '::1' ||
    (net.isIPv4(config.bind) && config.bind.startsWith('127.'));
  if (!config.auth && !isLoopback) {
    log.warn(
      'ANYBODY WHO REACHES THIS ADDRESS CAN RUN PROGRAMS ON THIS MACHINE: set LAB_API_USER and LAB_API_PASSWORD',
      { url },
    );
  }
}

function describeListenError(error: unknown, config: Config): Error {
  const place = `${config.bind} port ${config.port}`;
  const code = (error as NodeJS.ErrnoException).code;
  const sentences: Record<string, string> = {
    EADDRINUSE: `${place} is in use by another program; stop it, or choose another --port`,
    EADDRNOTAVAIL: `this machine has no address ${config.bind}; choose another --bind`,
    EACCES: `${place} may not be used by this user; choose a --port above 1023`,
    ENOTFOUND: `the name ${config.bind} is not known; choose another --bind`,
  };
  return new Error(sentences[code ?? ''] ?? `cannot listen on ${place}: ${messageOf(error)}`, {
    cause: error,
  });
}

async function prepareDataDir(dataDir: string): Promise<() => Promise<void>> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`cannot make the data directory ${dataDir}: ${messageOf(error)}`, { cause: error });
  }
  return ownDataDir(dataDir);
}

/** @throws ConfigError when a value is bad. Nothing is touched before `start`. */
export function bootstrap(flags: Flags, env: Environment = process.env): Service {
  const config = loadConfig(env, flags);
  const findCli = (): LabCli | undefined => findLabCli(config.cli, env);
  if (config.cli !== 'auto' && !findCli()) {
    throw new ConfigError([`LAB_API_CLI: there is no program "${config.cli}" on PATH or at this path`]);
  }
  const log = makeLogger(config);
  const disposer = new Disposer();
  const shutdown = new AbortController();
  const jobsDir = path.join(config.dataDir, 'jobs');

  const store = new JobStore(jobsDir, log);
  const status = makeStatus(config, { store, findCli, env, signal: shutdown.signal });
  const roots = new AllowedRoots(config.roots);
  const lab = new LabAdapter({ findCli, env, status, roots, topologyHosts: config.topologyHosts });
  const { cancelGraceMs, maxLogSizeBytes } = config;
  const supervisor = new Supervisor({ store, lab, log, cancelGraceMs, maxLogSizeBytes });
  const jobs = new JobService({
    store,
    queue: new JobQueue(config.maxRunningJobs),
    supervisor,
    lab,
    limits: config,
    log,
  });
  const readiness = () => checkReadiness({ store, minFreeDiskBytes: config.minFreeDiskBytes, findCli });
  const app = createApp({
    config,
    jobs,
    logGrowth: new LogGrowth(),
    status,
    roots,
    readiness,
    log,
    shutdown: shutdown.signal,
  });
  const server = makeServer(app, config, log);
  let giveUpDataDir: (() => Promise<void>) | undefined;

  const cleanUp = async (): Promise<void> => {
    const removed = await applyRetention(store, config);
    if (removed > 0) log.info('old jobs were removed', { count: removed });
  };

  return {
    log,
    reloadTls: () => server.reloadTls(),
    start: async () => {
      for (const name of unknownVariables(env))
        log.warn('this variable is not known and has no effect', { variable: name });
      giveUpDataDir = await prepareDataDir(config.dataDir);
      await store.prepare();
      store.load();
      const recovered = await jobs.recover();
      log.info('jobs of the last run', { ...recovered });
      await cleanUp();
      disposer.add(every(retentionIntervalMs, () => void cleanUp()));
      const url = await server.listen(config.bind, config.port).catch((error: unknown) => {
        throw describeListenError(error, config);
      });
      await announce(url, config, { cli: findCli(), env, jobsDir, log });
      return url;
    },
    stop: async ({ cancelJobs }) => {
      jobs.close();
      if (cancelJobs) await jobs.cancelAll();
      shutdown.abort();
      await server.close();
      disposer.dispose();
      store.close();
      await giveUpDataDir?.();
      log.info('lab-api has stopped', {
        runningJobs: store.unfinished().filter((job) => job.state !== 'queued').length,
      });
    },
  };
}

function makeServer(app: ReturnType<typeof createApp>, config: Config, log: Logger): ApiServer {
  try {
    return new ApiServer(app, config.tls, log);
  } catch (error) {
    throw new ConfigError([`LAB_API_TLS_CERT, LAB_API_TLS_KEY: not usable: ${messageOf(error)}`]);
  }
}

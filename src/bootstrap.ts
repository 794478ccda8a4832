/** Reads LAB_API_* and SSH_CONNECTION and builds the service. Nothing is touched before `start`. */
import type { Flags } from './config/settings.ts';
import { ConfigError, flagName, loadConfig, meantVariable, unknownVariables } from './config/load-config.ts';
import { missingUser } from './config/protection.ts';
import { loadClusterCode } from './service/join-cluster.ts';
import { findLabCli } from './labs/drivers/drivers.ts';
import { createServiceLog } from './service/service-log.ts';
import { LabApiService } from './service/service.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError when a value is bad; it names every one. */
export async function bootstrap(flags: Flags, env: Environment = process.env): Promise<LabApiService> {
  const config = loadConfig(env, flags);
  if (config.cli !== 'auto' && !findLabCli(config.cli, env)) {
    const variable = config.moreClis.length > 0 ? 'LAB_API_CLIS' : 'LAB_API_CLI';
    const source = flags.cli === undefined ? variable : flagName('cli');
    throw new ConfigError([`${source}: there is no program "${config.cli}" on PATH or at this path`]);
  }
  const noUser = missingUser(config);
  if (noUser !== undefined) throw new ConfigError([noUser]);
  const format = config.logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  const log = createServiceLog({ level: config.logLevel, format });
  const service = new LabApiService(config, env, log, { clusterCode: await loadClusterCode(config) });
  for (const variable of unknownVariables(env)) {
    const meant = meantVariable(variable);
    log.warn('this variable is not known and has no effect', { variable, ...(meant && { meant }) });
  }
  if (config.keepSizeBytes < config.maxLogSizeBytes) {
    log.warn(
      'LAB_API_KEEP_SIZE is below LAB_API_MAX_LOG_SIZE: one long log can push out all other finished jobs',
    );
  }
  return service;
}

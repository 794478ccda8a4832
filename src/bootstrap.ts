/** Reads LAB_API_* and SSH_CONNECTION and builds the service. Nothing is touched before `start`. */
import type { Config, Environment } from './config/config.ts';
import type { Flags, LiveSettings } from './config/settings.ts';
import { ConfigError, flagName, meantVariable, unknownVariables } from './config/load-config.ts';
import { openLogins, unusedLogins } from './config/git-credentials.ts';
import { missingUser } from './config/protection.ts';
import { RunningSettings } from './config/running-settings.ts';
import { loadClusterCode } from './service/join-cluster.ts';
import { findLabCli } from './labs/drivers/drivers.ts';
import { createServiceLog } from './service/service-log.ts';
import { LabApiService } from './service/service.ts';

function warningsAbout({ live, git }: Config, env: Environment): string[] {
  const logins = [...unusedLogins(git), ...openLogins(env['LAB_API_GIT_CREDENTIALS_FILE'])];
  const unknown = unknownVariables(env).map((variable) => {
    const meant = meantVariable(variable);
    return `${variable} is not known and has no effect${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
  if (live.keepSizeBytes >= live.maxLogSizeBytes) return [...unknown, ...logins];
  return [
    ...unknown,
    ...logins,
    'LAB_API_KEEP_SIZE is below LAB_API_MAX_LOG_SIZE: one long log can push out all other finished jobs',
  ];
}

/** @throws ConfigError when a value is bad; it names every one. */
export async function bootstrap(flags: Flags, given: Environment = process.env): Promise<LabApiService> {
  const check = (config: Config, env: Environment): void => {
    if (config.cli !== 'auto' && !findLabCli(config.cli, env)) {
      const variable = config.moreClis.length > 0 ? 'LAB_API_CLIS' : 'LAB_API_CLI';
      const source = flags.cli === undefined ? variable : flagName('cli');
      throw new ConfigError([`${source}: there is no program "${config.cli}" on PATH or at this path`]);
    }
    const noUser = missingUser(config);
    if (noUser !== undefined) throw new ConfigError([noUser]);
  };
  const onReload = ({ logLevel }: LiveSettings): void => void (log.level = logLevel);
  const settings = new RunningSettings({ env: given, flags }, { check, warningsAbout, onReload });
  const { config } = settings;
  const format = config.logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  const log = createServiceLog({ level: config.live.logLevel, format });
  const service = new LabApiService(settings, log, { clusterCode: await loadClusterCode(config) });
  for (const warning of settings.warnings) log.warn('a setting is probably not as it was meant', { warning });
  return service;
}

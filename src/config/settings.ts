/**
 * Every setting of the service, in one table and in the order of `.env.example`: its name in the code, its variable, the
 * values it may have with the default, and its flag. The type of the configuration is inferred from this table. A test
 * compares it with `.env.example`, which describes each setting for administrators.
 */
import os from 'node:os';
import * as z from 'zod';
import { gitCredentials } from './git-credentials.ts';
import {
  absolutePath,
  addressRanges,
  basePath,
  boolean,
  claimRoles,
  directories,
  duration,
  durationWithUnit,
  eventNames,
  filePath,
  headerName,
  hostLabels,
  hostName,
  askedHosts,
  hostNames,
  httpUrl,
  issuerUrl,
  labClis,
  oidcScopes,
  oneOf,
  origins,
  peerUrl,
  publicUrl,
  redisUrl,
  sharedSecret,
  size,
  sizeOverZero,
  text,
  webhookSecret,
  wholeNumber,
} from './value-kinds.ts';

interface Setting {
  readonly variable: `LAB_API_${string}`;
  readonly value: z.ZodType<unknown, string | undefined>;
  /** The option of the command line that sets it: `authUser` for `--auth-user`. A flag beats the variable. */
  readonly flag?: string;
  /** It may come from a file that `<variable>_FILE` names (secrets of Docker and systemd). */
  readonly isSecret?: true;
  /** A reload changes it in the running service (`Config.live`); none of these is a secret. */
  readonly isLive?: true;
}

export const settings = {
  /** A file of variables, which beat those of the environment. */
  settingsFile: { variable: 'LAB_API_SETTINGS_FILE', value: absolutePath.optional() },

  bind: { variable: 'LAB_API_BIND', value: text.optional(), flag: 'bind' },
  port: { variable: 'LAB_API_PORT', value: wholeNumber(0, 65_535).prefault('8090'), flag: 'port' },
  /** Where nodes are reached over SSH; undefined for nowhere. */
  sshPort: { variable: 'LAB_API_SSH_PORT', value: wholeNumber(0, 65_535).optional() },
  basePath: { variable: 'LAB_API_BASE_PATH', value: basePath.prefault('') },

  user: { variable: 'LAB_API_USER', value: text.optional(), flag: 'authUser', isSecret: true },
  password: { variable: 'LAB_API_PASSWORD', value: text.optional(), flag: 'authPassword', isSecret: true },
  /** The file of further users. */
  usersFile: { variable: 'LAB_API_USERS_FILE', value: absolutePath.optional() },
  trustedProxies: { variable: 'LAB_API_TRUSTED_PROXIES', value: addressRanges.prefault('') },
  proxyUserHeader: { variable: 'LAB_API_PROXY_USER_HEADER', value: headerName.optional() },
  /** How long a session lasts from its login. */
  sessionTtlMs: { variable: 'LAB_API_SESSION_TTL', value: duration.prefault('12h') },
  /** Where browsers reach the service, with its base path. */
  publicUrl: { variable: 'LAB_API_PUBLIC_URL', value: publicUrl.optional() },
  oidcIssuer: { variable: 'LAB_API_OIDC_ISSUER', value: issuerUrl.optional() },
  oidcClientId: { variable: 'LAB_API_OIDC_CLIENT_ID', value: text.optional() },
  oidcClientSecret: { variable: 'LAB_API_OIDC_CLIENT_SECRET', value: text.optional(), isSecret: true },
  /** The roles of its users, by the values of a claim. */
  oidcRoles: { variable: 'LAB_API_OIDC_ROLES', value: claimRoles.optional() },
  oidcRoleClaim: { variable: 'LAB_API_OIDC_ROLE_CLAIM', value: text.prefault('groups') },
  oidcUserClaim: { variable: 'LAB_API_OIDC_USER_CLAIM', value: text.prefault('preferred_username') },
  oidcScopes: { variable: 'LAB_API_OIDC_SCOPES', value: oidcScopes.prefault('openid profile email') },
  /** Its name on the login page. */
  oidcName: { variable: 'LAB_API_OIDC_NAME', value: text.prefault('single sign-on') },
  /** Between two questions whether a session still holds. */
  oidcCheckMs: { variable: 'LAB_API_OIDC_CHECK', value: duration.prefault('5m') },
  publicHealthz: { variable: 'LAB_API_PUBLIC_HEALTHZ', value: boolean.prefault('false') },
  publicReadyz: { variable: 'LAB_API_PUBLIC_READYZ', value: boolean.prefault('false') },
  /** Whether `POST /mcp` answers AI assistants. */
  mcp: { variable: 'LAB_API_MCP', value: boolean.prefault('false') },
  /** Whether an operator may change the labs and workspaces of other users (`shared`). */
  ownership: { variable: 'LAB_API_OWNERSHIP', value: oneOf(['shared', 'strict']).prefault('shared') },
  /** Whether the start is refused without any user. */
  requireAuth: { variable: 'LAB_API_REQUIRE_AUTH', value: boolean.prefault('false') },

  tls: { variable: 'LAB_API_TLS', value: oneOf(['self-signed']).optional(), flag: 'tls' },
  tlsCert: { variable: 'LAB_API_TLS_CERT', value: filePath.optional(), flag: 'tlsCert' },
  tlsKey: { variable: 'LAB_API_TLS_KEY', value: filePath.optional(), flag: 'tlsKey' },

  cli: { variable: 'LAB_API_CLI', value: text.prefault('auto'), flag: 'cli' },
  clis: { variable: 'LAB_API_CLIS', value: labClis.optional() },
  /** How netlab's containers run: with Docker and containerlab, or as namespaces. */
  runtime: {
    variable: 'LAB_API_RUNTIME',
    value: oneOf(['auto', 'containers', 'namespaces']).prefault('auto'),
    flag: 'runtime',
  },
  /** For an `up` that has none; undefined for the one lab without a number. */
  multilabId: { variable: 'LAB_API_MULTILAB_ID', value: oneOf(['auto']).optional() },
  /** The user that the lab CLI runs as; undefined for the service's own user. */
  jobUser: { variable: 'LAB_API_JOB_USER', value: text.optional() },

  dataDir: { variable: 'LAB_API_DATA_DIR', value: absolutePath.optional(), flag: 'dataDir' },
  templatesDir: { variable: 'LAB_API_TEMPLATES_DIR', value: absolutePath.optional() },
  workspacesDir: { variable: 'LAB_API_WORKSPACES_DIR', value: absolutePath.optional() },
  roots: { variable: 'LAB_API_ROOTS', value: directories.prefault('') },
  allowedHosts: { variable: 'LAB_API_ALLOWED_HOSTS', value: hostNames.prefault('') },
  corsOrigins: { variable: 'LAB_API_CORS_ORIGINS', value: origins.prefault('') },
  topologyHosts: { variable: 'LAB_API_TOPOLOGY_HOSTS', value: hostNames.prefault('') },

  gitHosts: { variable: 'LAB_API_GIT_HOSTS', value: askedHosts.prefault('') },
  gitCredentials: { variable: 'LAB_API_GIT_CREDENTIALS', value: gitCredentials.prefault(''), isSecret: true },

  webhookUrl: { variable: 'LAB_API_WEBHOOK_URL', value: httpUrl.optional() },
  webhookEvents: { variable: 'LAB_API_WEBHOOK_EVENTS', value: eventNames.prefault('job') },
  webhookSecret: { variable: 'LAB_API_WEBHOOK_SECRET', value: webhookSecret.optional(), isSecret: true },
  webhookHosts: { variable: 'LAB_API_WEBHOOK_HOSTS', value: hostNames.prefault('') },

  statusOutput: { variable: 'LAB_API_STATUS_OUTPUT', value: oneOf(['json', 'text']).prefault('json') },
  statusMaxAgeMs: { variable: 'LAB_API_STATUS_MAX_AGE', value: duration.prefault('2s') },
  statusTimeoutMs: { variable: 'LAB_API_STATUS_TIMEOUT', value: duration.prefault('60s') },

  maxRunningJobs: {
    variable: 'LAB_API_MAX_RUNNING_JOBS',
    value: wholeNumber(1, 10_000).prefault(String(os.availableParallelism())),
    isLive: true,
  },
  maxQueuedJobs: {
    variable: 'LAB_API_MAX_QUEUED_JOBS',
    value: wholeNumber(1, 1_000_000).prefault('1000'),
    isLive: true,
  },
  maxNodeSessions: {
    variable: 'LAB_API_MAX_NODE_SESSIONS',
    value: wholeNumber(1, 10_000).prefault('64'),
    isLive: true,
  },
  maxTerminals: {
    variable: 'LAB_API_MAX_TERMINALS',
    value: wholeNumber(1, 10_000).prefault('16'),
    isLive: true,
  },
  terminalIdleMs: { variable: 'LAB_API_TERMINAL_IDLE', value: duration.prefault('30m'), isLive: true },
  jobTimeoutMs: { variable: 'LAB_API_JOB_TIMEOUT', value: duration.prefault('4h'), isLive: true },
  cancelGraceMs: { variable: 'LAB_API_CANCEL_GRACE', value: duration.prefault('10s'), isLive: true },
  /** How long a lab lives whose `up` names no time; undefined for ever. */
  defaultTtlMs: { variable: 'LAB_API_DEFAULT_TTL', value: duration.optional(), isLive: true },
  maxTtlMs: { variable: 'LAB_API_MAX_TTL', value: duration.optional(), isLive: true },
  keepJobs: {
    variable: 'LAB_API_KEEP_JOBS',
    value: wholeNumber(1, 10_000_000).prefault('10000'),
    isLive: true,
  },
  keepDays: { variable: 'LAB_API_KEEP_DAYS', value: wholeNumber(1, 36_500).prefault('30'), isLive: true },
  keepSizeBytes: { variable: 'LAB_API_KEEP_SIZE', value: sizeOverZero.prefault('20GiB'), isLive: true },
  /** How long a workspace is kept after its last use; undefined for ever. */
  keepWorkspacesMs: { variable: 'LAB_API_KEEP_WORKSPACES', value: durationWithUnit.optional() },
  maxLogSizeBytes: { variable: 'LAB_API_MAX_LOG_SIZE', value: sizeOverZero.prefault('1GiB'), isLive: true },
  minFreeDiskBytes: { variable: 'LAB_API_MIN_FREE_DISK', value: size.prefault('512MiB'), isLive: true },

  maxFileBytes: { variable: 'LAB_API_MAX_FILE_SIZE', value: sizeOverZero.prefault('1GiB'), isLive: true },
  maxWorkspaceFiles: {
    variable: 'LAB_API_MAX_WORKSPACE_FILES',
    value: wholeNumber(1, 1_000_000).prefault('20000'),
    isLive: true,
  },
  maxWorkspaceBytes: {
    variable: 'LAB_API_MAX_WORKSPACE_SIZE',
    value: sizeOverZero.prefault('4GiB'),
    isLive: true,
  },
  maxAllWorkspacesBytes: {
    variable: 'LAB_API_MAX_ALL_WORKSPACES_SIZE',
    value: sizeOverZero.prefault('50GiB'),
    isLive: true,
  },
  maxAllSnapshotsBytes: {
    variable: 'LAB_API_MAX_ALL_SNAPSHOTS_SIZE',
    value: sizeOverZero.prefault('20GiB'),
    isLive: true,
  },
  maxAllImagesBytes: {
    variable: 'LAB_API_MAX_ALL_IMAGES_SIZE',
    value: sizeOverZero.prefault('20GiB'),
    isLive: true,
  },

  redisUrl: { variable: 'LAB_API_REDIS_URL', value: redisUrl.optional(), isSecret: true },
  clusterSecret: { variable: 'LAB_API_CLUSTER_SECRET', value: sharedSecret.optional(), isSecret: true },
  hostName: { variable: 'LAB_API_HOST_NAME', value: hostName.optional() },
  hostUrl: { variable: 'LAB_API_HOST_URL', value: peerUrl.optional() },
  hostLabels: { variable: 'LAB_API_HOST_LABELS', value: hostLabels.prefault('') },

  logLevel: {
    variable: 'LAB_API_LOG_LEVEL',
    value: oneOf(['error', 'warn', 'info', 'debug']).prefault('info'),
    isLive: true,
  },
  logFormat: { variable: 'LAB_API_LOG_FORMAT', value: oneOf(['text', 'json']).optional() },
  /** Undefined: the audit goes into the service's log. */
  auditFile: { variable: 'LAB_API_AUDIT_FILE', value: absolutePath.optional() },
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

export type SettingName = keyof Settings;

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** The checked values of all settings. Durations in ms, sizes in bytes. */
export type SettingValues = { readonly [Name in SettingName]: z.output<Settings[Name]['value']> };

type LiveName = {
  [Name in SettingName]: Settings[Name] extends { readonly isLive: true } ? Name : never;
}[SettingName];

/** The settings that a reload changes. */
export const liveSettings = settingNames.filter((name): name is LiveName => settingOf(name).isLive === true);

/** Their values now. Read them when they are needed, and keep none: a reload changes them. */
export type LiveSettings = Pick<SettingValues, LiveName>;

/** Checks texts by the names of their settings. */
export const settingsSchema = z.object(
  Object.fromEntries(settingNames.map((name) => [name, settings[name].value])),
) as unknown as z.ZodType<SettingValues>;

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

type FlagOf<Entry> = Entry extends { readonly flag: infer Flag extends string } ? Flag : never;

export type Flags = { readonly [Flag in FlagOf<Settings[SettingName]>]?: string };

/** The settings that have a flag. */
export const flaggedSettings = settingNames.filter((name) => settingOf(name).flag !== undefined);

/** The variables whose value a file may hold. */
export const secretVariables: readonly string[] = settingNames
  .filter((name) => settingOf(name).isSecret === true)
  .map((name) => settings[name].variable);

/** Variables that the remote commands read (src/cli/remote/server.ts), and the service does not. */
export const clientVariables: readonly string[] = [
  'LAB_API_URL',
  'LAB_API_TOKEN',
  'LAB_API_TOKEN_FILE',
  'LAB_API_CACERT',
  'LAB_API_PIN',
];

/** Variables that a running service removes from its environment. The URL of a webhook is often a secret itself. */
export const privateVariables: readonly string[] = [
  ...secretVariables,
  settings.webhookUrl.variable,
  'LAB_API_TOKEN',
];

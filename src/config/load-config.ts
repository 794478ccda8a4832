import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { z } from 'zod';
import { messageOf } from '../lib/app-error.ts';
import { closest } from '../lib/text/did-you-mean.ts';
import { readRegularFile } from '../lib/files/read-regular-file.ts';
import { cliProblems, cliSettings } from './lab-clis.ts';
import { clusterProblems, clusterSettings } from './cluster-settings.ts';
import {
  clientVariables,
  environmentSchema,
  flagVariables,
  secretVariables,
  type Config,
  type Flags,
  type VariableName,
} from './config.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Values = z.output<typeof environmentSchema>;

/** Everything that is wrong with the configuration, one sentence each; each names the variable or the flag. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** A flag as the user gave it, and the variable that it stands in for: `--port (LAB_API_PORT)`. */
export function flagName(flag: keyof Flags): string {
  const name = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${name} (${flagVariables[flag]})`;
}

/** The server's address of an SSH session: the third of the four words in `SSH_CONNECTION` (sshd(8)). */
export function sshServerAddress(connection: string | undefined): string | undefined {
  const address = connection?.trim().split(/\s+/)[2];
  // A link-local IPv6 address carries its zone (fe80::1%eth0); net.isIP knows zones.
  return address !== undefined && net.isIP(address) !== 0 ? address : undefined;
}

/** The values to check, and for each the name by which the user gave it. */
class Sources {
  readonly values: Record<string, string> = {};
  readonly names = new Map<string, string>();
  readonly problems: string[] = [];

  take(variable: VariableName, value: string | undefined, name: string): void {
    // An empty value means "not set": that is how compose files and env files leave a variable out.
    if (value === undefined || value === '') return;
    this.values[variable] = value;
    this.names.set(variable, name);
  }

  takeSecretFile(variable: VariableName, file: string): void {
    const name = `${variable}_FILE`;
    if (this.values[variable] !== undefined) {
      this.problems.push(`${name}: ${variable} is set as well; keep one of the two`);
      return;
    }
    try {
      const content = readRegularFile(file)
        .toString('utf8')
        .replace(/\r?\n$/, '');
      if (content === '') this.problems.push(`${name}: ${file} is empty`);
      else this.take(variable, content, name);
    } catch (error) {
      this.problems.push(`${name}: cannot read the file: ${messageOf(error)}`);
    }
  }
}

function readSources(env: Environment, flags: Flags): Sources {
  const sources = new Sources();
  const flagged = new Set(
    Object.entries(flagVariables)
      .filter(([flag]) => flags[flag as keyof Flags] !== undefined)
      .map(([, variable]) => variable as string),
  );
  for (const variable of Object.keys(environmentSchema.shape) as VariableName[]) {
    if (!flagged.has(variable)) sources.take(variable, env[variable], variable);
  }
  for (const variable of secretVariables) {
    const file = env[`${variable}_FILE`];
    if (file && !flagged.has(variable)) sources.takeSecretFile(variable, file);
  }
  for (const flag of Object.keys(flagVariables) as (keyof Flags)[]) {
    const [value, variable] = [flags[flag], flagVariables[flag]];
    if (value === '') sources.problems.push(`${flagName(flag)}: the value is empty`);
    sources.take(variable, value, flagName(flag));
  }
  return sources;
}

function isKnown(variable: string): boolean {
  if ((clientVariables as readonly string[]).includes(variable)) return true;
  // Some end like this themselves: LAB_API_AUDIT_FILE.
  if (variable in environmentSchema.shape) return true;
  const plain = variable.replace(/_FILE$/, '');
  return plain !== variable && (secretVariables as readonly string[]).includes(plain);
}

/** Misspelt `LAB_API_*` variables, which would otherwise be silently without effect. */
export function unknownVariables(env: Environment): string[] {
  return Object.keys(env).filter((variable) => variable.startsWith('LAB_API_') && !isKnown(variable));
}

/** The variable that was probably meant by an unknown one. */
export function meantVariable(unknown: string): string | undefined {
  const ofFiles = secretVariables.map((variable) => `${variable}_FILE`);
  return closest(unknown, [...Object.keys(environmentSchema.shape), ...ofFiles]);
}

/** Both of a pair, neither, or a problem that names the one that is missing. */
function pair(sources: Sources, first: VariableName, second: VariableName): [string, string] | undefined {
  const [a, b] = [sources.values[first], sources.values[second]];
  if (a !== undefined && b !== undefined) return [a, b];
  if (a !== undefined || b !== undefined) {
    const [given, missing] = a === undefined ? [second, first] : [first, second];
    sources.problems.push(`${sources.names.get(given)} is set but ${missing} is not; they belong together`);
  }
  return undefined;
}

/** Nobody knows which of two certificates was meant. */
function checkOneTls(sources: Sources): void {
  const [how, file] = [sources.names.get('LAB_API_TLS'), sources.names.get('LAB_API_TLS_CERT')];
  if (how !== undefined && file !== undefined)
    sources.problems.push(`${how}: ${file} is set as well; keep one of the two`);
}

interface Ttls {
  readonly LAB_API_DEFAULT_TTL?: number | undefined;
  readonly LAB_API_MAX_TTL?: number | undefined;
}

/** A default that no request may ask for. */
function checkTtls(sources: Sources, { LAB_API_DEFAULT_TTL: ttlMs, LAB_API_MAX_TTL: maxTtlMs }: Ttls): void {
  if (ttlMs !== undefined && maxTtlMs !== undefined && ttlMs > maxTtlMs)
    sources.problems.push('LAB_API_DEFAULT_TTL: must not be more than LAB_API_MAX_TTL');
}

function defaultDataDir(env: Environment): string {
  const state = env['XDG_STATE_HOME'];
  // The XDG base directory specification: a path that is not absolute is to be ignored.
  if (state && path.isAbsolute(state)) return path.join(state, 'lab-api');
  return path.join(os.homedir(), '.local', 'state', 'lab-api');
}

function tlsSettings(
  { LAB_API_TLS: how, LAB_API_TLS_CERT: certFile, LAB_API_TLS_KEY: keyFile }: Values,
  dataDir: string,
): Config['tls'] {
  if (how === 'self-signed') {
    const pairFile = path.join(dataDir, 'tls', 'self-signed.pem');
    return { certFile: pairFile, keyFile: pairFile, isSelfSigned: true };
  }
  if (certFile === undefined || keyFile === undefined) return undefined;
  return { certFile: path.resolve(certFile), keyFile: path.resolve(keyFile), isSelfSigned: false };
}

function workspaceLimits(data: Values): Config['workspaceLimits'] {
  return {
    maxFileBytes: data.LAB_API_MAX_FILE_SIZE,
    maxFiles: data.LAB_API_MAX_WORKSPACE_FILES,
    maxBytes: data.LAB_API_MAX_WORKSPACE_SIZE,
    maxTotalBytes: data.LAB_API_MAX_ALL_WORKSPACES_SIZE,
  };
}

/** The values of all variables. @throws ConfigError with every problem that was found, not the first only. */
function readSettings(env: Environment, flags: Flags) {
  const sources = readSources(env, flags);
  const parsed = environmentSchema.safeParse(sources.values);
  for (const issue of parsed.error?.issues ?? []) {
    const variable = String(issue.path[0]);
    sources.problems.push(`${sources.names.get(variable) ?? variable}: ${issue.message}`);
  }
  const auth = pair(sources, 'LAB_API_USER', 'LAB_API_PASSWORD');
  const proxy = pair(sources, 'LAB_API_TRUSTED_PROXIES', 'LAB_API_PROXY_USER_HEADER');
  pair(sources, 'LAB_API_TLS_CERT', 'LAB_API_TLS_KEY');
  checkOneTls(sources);
  if (auth?.[0].includes(':')) {
    // RFC 7617, section 2: the first colon ends the user name, so such a user could never log in.
    sources.problems.push(`${sources.names.get('LAB_API_USER')}: a user name cannot contain a colon`);
  }
  // eslint-disable-next-line no-control-regex
  if (auth?.some((text) => /[\u0000-\u001f\u007f]/.test(text)))
    sources.problems.push(
      'LAB_API_USER, LAB_API_PASSWORD: control characters cannot be sent by a client (RFC 7617, section 2)',
    );
  if (proxy !== undefined && auth === undefined && sources.values['LAB_API_USERS_FILE'] === undefined)
    sources.problems.push(
      'LAB_API_PROXY_USER_HEADER: the users that it names must be known: set LAB_API_USERS_FILE',
    );
  // The service reads what requests name, and it is root then.
  if (sources.values['LAB_API_JOB_USER'] !== undefined && sources.values['LAB_API_ROOTS'] === undefined)
    sources.problems.push(
      'LAB_API_JOB_USER: set LAB_API_ROOTS too: requests must not have root read files elsewhere',
    );
  sources.problems.push(...cliProblems(sources.values['LAB_API_CLI'], parsed.data?.LAB_API_CLIS));
  checkTtls(sources, parsed.data ?? {});
  sources.problems.push(...clusterProblems(parsed.data ?? {}, sources.values['LAB_API_BIND'] ?? ''));
  if (!parsed.success || sources.problems.length > 0) throw new ConfigError(sources.problems);
  return { data: parsed.data, auth, proxy };
}

/**
 * Turns the environment and the command line into the configuration.
 * @throws ConfigError with every problem that was found, not the first only.
 */
export function loadConfig(env: Environment, flags: Flags = {}): Config {
  const { data, auth, proxy } = readSettings(env, flags);
  const dataDir = data.LAB_API_DATA_DIR ?? defaultDataDir(env);
  return Object.freeze({
    bind: data.LAB_API_BIND ?? sshServerAddress(env['SSH_CONNECTION']) ?? '127.0.0.1',
    port: data.LAB_API_PORT,
    basePath: data.LAB_API_BASE_PATH,
    auth: auth && { user: auth[0], password: auth[1] },
    usersFile: data.LAB_API_USERS_FILE,
    proxy: proxy && {
      addresses: data.LAB_API_TRUSTED_PROXIES,
      userHeader: data.LAB_API_PROXY_USER_HEADER ?? '',
    },
    sessionTtlMs: data.LAB_API_SESSION_TTL,
    publicHealthz: data.LAB_API_PUBLIC_HEALTHZ,
    mcp: data.LAB_API_MCP,
    ownership: data.LAB_API_OWNERSHIP,
    requireAuth: data.LAB_API_REQUIRE_AUTH,
    tls: tlsSettings(data, dataDir),
    ...cliSettings(data),
    jobUser: data.LAB_API_JOB_USER,
    dataDir,
    templatesDir: data.LAB_API_TEMPLATES_DIR,
    workspacesDir: data.LAB_API_WORKSPACES_DIR ?? path.join(dataDir, 'workspaces'),
    roots: data.LAB_API_ROOTS,
    allowedHosts: data.LAB_API_ALLOWED_HOSTS,
    corsOrigins: data.LAB_API_CORS_ORIGINS,
    topologyHosts: data.LAB_API_TOPOLOGY_HOSTS,
    webhooks: {
      url: data.LAB_API_WEBHOOK_URL,
      events: data.LAB_API_WEBHOOK_EVENTS,
      secret: data.LAB_API_WEBHOOK_SECRET,
      hosts: data.LAB_API_WEBHOOK_HOSTS,
    },
    statusOutput: data.LAB_API_STATUS_OUTPUT,
    statusMaxAgeMs: data.LAB_API_STATUS_MAX_AGE,
    statusTimeoutMs: data.LAB_API_STATUS_TIMEOUT,
    maxRunningJobs: data.LAB_API_MAX_RUNNING_JOBS,
    maxQueuedJobs: data.LAB_API_MAX_QUEUED_JOBS,
    maxNodeSessions: data.LAB_API_MAX_NODE_SESSIONS,
    maxTerminals: data.LAB_API_MAX_TERMINALS,
    terminalIdleMs: data.LAB_API_TERMINAL_IDLE,
    jobTimeoutMs: data.LAB_API_JOB_TIMEOUT,
    cancelGraceMs: data.LAB_API_CANCEL_GRACE,
    defaultTtlMs: data.LAB_API_DEFAULT_TTL,
    maxTtlMs: data.LAB_API_MAX_TTL,
    keepJobs: data.LAB_API_KEEP_JOBS,
    keepDays: data.LAB_API_KEEP_DAYS,
    keepSizeBytes: data.LAB_API_KEEP_SIZE,
    maxLogSizeBytes: data.LAB_API_MAX_LOG_SIZE,
    minFreeDiskBytes: data.LAB_API_MIN_FREE_DISK,
    workspaceLimits: workspaceLimits(data),
    cluster: clusterSettings(data),
    logLevel: data.LAB_API_LOG_LEVEL,
    logFormat: data.LAB_API_LOG_FORMAT,
    auditFile: data.LAB_API_AUDIT_FILE,
  });
}

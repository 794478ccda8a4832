import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { webhookEvents, webhookSecret } from './webhook-settings.ts';
import { labClis } from './lab-clis.ts';
import { clusterVariables, type ClusterSettings } from './cluster-settings.ts';
import { addressRangeProblem } from './address-range.ts';
import { parseDuration } from '../lib/text/duration.ts';
import { expandHome } from '../lib/files/home.ts';
import { parseSize } from '../lib/text/size.ts';

const text = z.string().min(1);
const boolean = oneOf(['true', 'false']).transform((value) => value === 'true');

const duration = z.string().transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue(`"${value}" is not a duration: write 30, 500ms, 10s, 5m, 4h or 30d`);
  return z.NEVER;
});

const size = z.string().transform((value, context) => {
  const bytes = parseSize(value);
  if (bytes !== undefined) return bytes;
  context.addIssue(`"${value}" is not a size: write bytes, or 512MiB, 1GiB`);
  return z.NEVER;
});

/** A whole number between two bounds, both included. */
function wholeNumber(min: number, max: number) {
  return z.string().transform((value, context) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    context.addIssue(`"${value}" is not a whole number from ${min} to ${max}`);
    return z.NEVER;
  });
}

/** Each given value must be one of these; the message lists them. */
function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: (issue) => `"${String(issue.input)}" is not one of ${values.join(', ')}` });
}

/** None when the variable is not set. Set to separators alone, it would silently mean "no restriction". */
function list(separator: string) {
  return z.string().transform((value, context) => {
    const entries = value.split(separator).map((entry) => entry.trim());
    const given = entries.filter((entry) => entry !== '');
    if (value !== '' && given.length === 0) context.addIssue(`"${value}" names nothing`);
    return given;
  });
}

/** Addresses and networks (192.0.2.7, 2001:db8::/32), as text: whoever asks reads them once more. */
const addressRanges = list(',').transform((entries, context) => {
  for (const entry of entries) {
    const problem = addressRangeProblem(entry);
    if (problem !== undefined) context.addIssue(`"${entry}" ${problem}`);
  }
  return entries;
});

/** Headers that mean something already: a proxy that passes one on would have its clients be whom they like. */
const takenHeaders = ['authorization', 'connection', 'cookie', 'forwarded', 'host', 'origin', 'user-agent'];

/** RFC 9110, section 5.1. In lower case, as Node has it. */
const headerName = text.transform((value, context) => {
  const name = value.toLowerCase();
  const isTaken = takenHeaders.includes(name) || /^(x-forwarded-|content-|sec-)/.test(name);
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !isTaken) return name;
  const why = isTaken ? 'has another meaning already' : 'is not the name of a header';
  context.addIssue(`"${value}" ${why}: write something like X-Remote-User`);
  return z.NEVER;
});

/** As browsers write an origin (RFC 6454, section 6.2): no default port, lower case. */
const origins = list(',').transform((entries, context) =>
  entries.map((entry) => {
    if (/^https?:\/\/[^/?#@*\\\s]+$/i.test(entry) && URL.canParse(entry)) return new URL(entry).origin;
    const why = entry.includes('*') ? 'names no single origin' : 'is not an origin';
    context.addIssue(
      `"${entry}" ${why}: write scheme://host or scheme://host:port, like https://labs.example.com`,
    );
    return z.NEVER;
  }),
);

const absolutePath = text.transform((value) => path.resolve(expandHome(value)));

const basePath = z.string().transform((value, context) => {
  const trimmed = value.replace(/\/+$/, '');
  if (trimmed === '' || /^(\/[\w.~-]+)+$/.test(trimmed)) return trimmed;
  context.addIssue(`"${value}" is not a path prefix: write something like /netlab`);
  return z.NEVER;
});

const httpUrl = text.transform((value, context) => {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  context.addIssue(`"${value}" is not an http or https URL`);
  return z.NEVER;
});

/** One entry per variable, in the order of `.env.example`, which a test compares with this table. */
export const environmentSchema = z.object({
  LAB_API_BIND: text.optional(),
  LAB_API_PORT: wholeNumber(0, 65_535).prefault('8090'),
  LAB_API_BASE_PATH: basePath.prefault(''),
  LAB_API_USER: text.optional(),
  LAB_API_PASSWORD: text.optional(),
  LAB_API_USERS_FILE: absolutePath.optional(),
  LAB_API_TRUSTED_PROXIES: addressRanges.prefault(''),
  LAB_API_PROXY_USER_HEADER: headerName.optional(),
  LAB_API_SESSION_TTL: duration.prefault('12h'),
  LAB_API_PUBLIC_HEALTHZ: boolean.prefault('false'),
  LAB_API_MCP: boolean.prefault('false'),
  LAB_API_OWNERSHIP: oneOf(['shared', 'strict']).prefault('shared'),
  LAB_API_REQUIRE_AUTH: boolean.prefault('false'),
  LAB_API_TLS: oneOf(['self-signed']).optional(),
  LAB_API_TLS_CERT: text.transform(expandHome).optional(),
  LAB_API_TLS_KEY: text.transform(expandHome).optional(),
  LAB_API_CLI: text.prefault('auto'),
  LAB_API_CLIS: labClis.optional(),
  LAB_API_JOB_USER: text.optional(),
  LAB_API_DATA_DIR: absolutePath.optional(),
  LAB_API_TEMPLATES_DIR: absolutePath.optional(),
  LAB_API_WORKSPACES_DIR: absolutePath.optional(),
  LAB_API_ROOTS: list(':')
    .transform((roots) => roots.map((root) => path.resolve(expandHome(root))))
    .prefault(''),
  LAB_API_ALLOWED_HOSTS: list(',')
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .prefault(''),
  LAB_API_CORS_ORIGINS: origins.prefault(''),
  LAB_API_TOPOLOGY_HOSTS: list(',')
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .prefault(''),
  LAB_API_WEBHOOK_URL: httpUrl.optional(),
  LAB_API_WEBHOOK_EVENTS: list(',')
    .transform((names, context) => {
      for (const name of names)
        if (!webhookEvents.includes(name))
          context.addIssue(`"${name}" is not one of ${webhookEvents.join(', ')}`);
      return names;
    })
    .prefault('job'),
  LAB_API_WEBHOOK_SECRET: webhookSecret.optional(),
  LAB_API_WEBHOOK_HOSTS: list(',')
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .prefault(''),
  LAB_API_STATUS_OUTPUT: oneOf(['json', 'text']).prefault('json'),
  LAB_API_STATUS_MAX_AGE: duration.prefault('2s'),
  LAB_API_STATUS_TIMEOUT: duration.prefault('60s'),
  LAB_API_MAX_RUNNING_JOBS: wholeNumber(1, 10_000).prefault(String(os.availableParallelism())),
  LAB_API_MAX_QUEUED_JOBS: wholeNumber(1, 1_000_000).prefault('1000'),
  LAB_API_MAX_NODE_SESSIONS: wholeNumber(1, 10_000).prefault('64'),
  LAB_API_MAX_TERMINALS: wholeNumber(1, 10_000).prefault('16'),
  LAB_API_TERMINAL_IDLE: duration.prefault('30m'),
  LAB_API_JOB_TIMEOUT: duration.prefault('4h'),
  LAB_API_CANCEL_GRACE: duration.prefault('10s'),
  LAB_API_DEFAULT_TTL: duration.optional(),
  LAB_API_MAX_TTL: duration.optional(),
  LAB_API_KEEP_JOBS: wholeNumber(1, 10_000_000).prefault('10000'),
  LAB_API_KEEP_DAYS: wholeNumber(1, 36_500).prefault('30'),
  LAB_API_KEEP_SIZE: size.refine((bytes) => bytes > 0, 'must not be 0').prefault('20GiB'),
  LAB_API_MAX_LOG_SIZE: size.refine((bytes) => bytes > 0, 'must not be 0').prefault('1GiB'),
  LAB_API_MIN_FREE_DISK: size.prefault('512MiB'),
  LAB_API_MAX_FILE_SIZE: size.refine((bytes) => bytes > 0, 'must not be 0').prefault('1GiB'),
  LAB_API_MAX_WORKSPACE_FILES: wholeNumber(1, 1_000_000).prefault('20000'),
  LAB_API_MAX_WORKSPACE_SIZE: size.refine((bytes) => bytes > 0, 'must not be 0').prefault('4GiB'),
  LAB_API_MAX_ALL_WORKSPACES_SIZE: size.refine((bytes) => bytes > 0, 'must not be 0').prefault('50GiB'),
  ...clusterVariables,
  LAB_API_LOG_LEVEL: oneOf(['error', 'warn', 'info', 'debug']).prefault('info'),
  LAB_API_LOG_FORMAT: oneOf(['text', 'json']).optional(),
  LAB_API_AUDIT_FILE: absolutePath.optional(),
});

export type VariableName = keyof typeof environmentSchema.shape;

/** Variables that may come from a file named by `<variable>_FILE` (Docker and systemd secrets). */
export const secretVariables = [
  'LAB_API_USER',
  'LAB_API_PASSWORD',
  'LAB_API_WEBHOOK_SECRET',
  'LAB_API_REDIS_URL',
  'LAB_API_CLUSTER_SECRET',
] as const;

/** What only `lab start`, `lab jobs` and their kin read (src/cli/remote/server.ts): the service has no use for it. */
export const clientVariables = [
  'LAB_API_URL',
  'LAB_API_TOKEN',
  'LAB_API_TOKEN_FILE',
  'LAB_API_CACERT',
  'LAB_API_PIN',
] as const;

/** What nobody is to read in the environment of a service that runs: the address of a receiver is often a secret itself. */
export const privateVariables = [...secretVariables, 'LAB_API_WEBHOOK_URL', 'LAB_API_TOKEN'] as const;

/** Command-line flags that stand in for a variable; flag beats variable beats default. */
export const flagVariables = {
  bind: 'LAB_API_BIND',
  port: 'LAB_API_PORT',
  authUser: 'LAB_API_USER',
  authPassword: 'LAB_API_PASSWORD',
  tls: 'LAB_API_TLS',
  tlsCert: 'LAB_API_TLS_CERT',
  tlsKey: 'LAB_API_TLS_KEY',
  cli: 'LAB_API_CLI',
  dataDir: 'LAB_API_DATA_DIR',
} as const satisfies Record<string, VariableName>;

export type Flags = { readonly [name in keyof typeof flagVariables]?: string };

export interface TlsSettings {
  readonly certFile: string;
  readonly keyFile: string;
  /** The service makes the certificate and keeps it; both files are one then. */
  readonly isSelfSigned: boolean;
}

/** The whole configuration, checked once at start-up and never changed. Durations in ms, sizes in bytes. */
export interface Config {
  readonly bind: string;
  readonly port: number;
  readonly basePath: string;
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** The file of further users, absolute. */
  readonly usersFile: string | undefined;
  /** Those that say who a user is, by a header (lower case) that nobody else may send. */
  readonly proxy: { readonly addresses: readonly string[]; readonly userHeader: string } | undefined;
  /** How long a session lasts from its login. */
  readonly sessionTtlMs: number;
  readonly publicHealthz: boolean;
  /** Whether `POST /mcp` answers AI assistants. */
  readonly mcp: boolean;
  /** Whether an operator may change what others own. */
  readonly ownership: 'shared' | 'strict';
  /** Whether the start is refused without any user. */
  readonly requireAuth: boolean;
  readonly tls: TlsSettings | undefined;
  /** That of jobs and labs that name none. */
  readonly cli: string;
  /** Those beside it, each of another kind. */
  readonly moreClis: readonly string[];
  /** Whom the lab CLI runs as; undefined for the service's own user. */
  readonly jobUser: string | undefined;
  readonly dataDir: string;
  readonly templatesDir: string | undefined;
  readonly workspacesDir: string;
  readonly roots: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly topologyHosts: readonly string[];
  readonly webhooks: {
    readonly url: string | undefined;
    readonly events: readonly string[];
    readonly secret: string | undefined;
    readonly hosts: readonly string[];
  };
  readonly statusOutput: 'json' | 'text';
  readonly statusMaxAgeMs: number;
  readonly statusTimeoutMs: number;
  readonly maxRunningJobs: number;
  readonly maxQueuedJobs: number;
  readonly maxNodeSessions: number;
  readonly maxTerminals: number;
  readonly terminalIdleMs: number;
  readonly jobTimeoutMs: number;
  readonly cancelGraceMs: number;
  /** How long labs live whose `up` names no time; undefined for ever. */
  readonly defaultTtlMs: number | undefined;
  readonly maxTtlMs: number | undefined;
  readonly keepJobs: number;
  readonly keepDays: number;
  readonly keepSizeBytes: number;
  readonly maxLogSizeBytes: number;
  readonly minFreeDiskBytes: number;
  readonly workspaceLimits: {
    readonly maxFileBytes: number;
    /** Files and directories of one workspace. */
    readonly maxFiles: number;
    readonly maxBytes: number;
    /** Of all workspaces together. */
    readonly maxTotalBytes: number;
  };
  /** Undefined for a service that works alone. */
  readonly cluster: ClusterSettings | undefined;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  readonly logFormat: 'text' | 'json' | undefined;
  /** Undefined: the audit goes into the service's log. */
  readonly auditFile: string | undefined;
}

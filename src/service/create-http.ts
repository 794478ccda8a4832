/** Joins the parts of the service with HTTP: what routes work with, and the server that listens. */
import { AuditFileReader } from '../access/audit/audit-file-reader.ts';
import type { AuditLog } from '../access/model/audit.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, flagName } from '../config/load-config.ts';
import type { DiskUsage } from './disk-use.ts';
import { createSsh } from './create-ssh.ts';
import { createMcp } from './create-mcp.ts';
import { createSnapshots } from './create-snapshots.ts';
import { createApp } from '../http/app.ts';
import type { WholeContext } from '../http/context.ts';
import { ApiServer } from '../http/server.ts';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import type { Snapshots } from '../labs/snapshots/snapshots.ts';
import { WorkspaceFiles } from '../labs/workspaces/workspace-files.ts';
import type { Labs } from '../labs/labs.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import { withWholeTarget } from '../restricted/audit-target.ts';
import { Restrictions } from '../restricted/restrict.ts';
import { version } from '../version.ts';

export type Admit = Parameters<typeof createApp>[1];

type Made =
  | 'config'
  | 'ssh'
  | 'version'
  | 'workspaces'
  | 'files'
  | 'snapshots'
  | 'groups'
  | 'mcp'
  | 'metrics'
  | 'disk'
  | 'observer'
  | 'auditReader';

interface CreateHttpDeps extends Omit<WholeContext, Made> {
  readonly config: Config;
  readonly jobs: LocalJobs;
  readonly workspaces: Workspaces;
  readonly labs: Labs;
  readonly metrics: ServiceMetrics;
  readonly disk: DiskUsage;
  /** Where the service listens, with its base path. */
  readonly url: () => string;
  /** Which requests a server without users accepts. */
  readonly admit: Admit;
}

interface Http {
  readonly server: ApiServer;
  /** The service as each user may have it. */
  readonly contexts: Restrictions<WholeContext>;
  readonly ssh: ReturnType<typeof createSsh>;
  readonly snapshots: Snapshots;
}

function serverOf(app: ReturnType<typeof createApp>, { tls }: Config, log: Logger): ApiServer {
  try {
    return new ApiServer(app, tls, log);
  } catch (error) {
    const names = `${flagName('tlsCert')}, ${flagName('tlsKey')}`;
    throw new ConfigError([`${names}: not usable: ${messageOf(error)}`]);
  }
}

/** @throws ConfigError when the TLS files cannot be used. */
export function createHttp({ admit, url, metrics, disk, workspaces, ...parts }: CreateHttpDeps): Http {
  const { config, log, audit, jobs, labs } = parts;
  const noted: AuditLog = { note: (entry) => audit.note(withWholeTarget(entry, { jobs, labs, workspaces })) };
  const ssh = createSsh({
    ...parts,
    audit: noted,
    partsOf: (principal) => contexts.of(principal),
    observer: metrics.ssh,
  });
  const snapshots = createSnapshots(config, jobs, log);
  const context: WholeContext = {
    ...parts,
    ssh,
    version,
    workspaces,
    files: new WorkspaceFiles(workspaces),
    snapshots,
    groups: () => parts.users.groups,
    mcp: config.mcp ? createMcp(url, log) : undefined,
    metrics: async () => metrics.text(),
    disk: async () => disk.read(),
    observer: metrics.http,
    auditReader: config.auditFile === undefined ? undefined : new AuditFileReader(config.auditFile),
    audit: noted,
  };
  const contexts = new Restrictions(context);
  return { server: serverOf(createApp(context, admit), config, log), contexts, ssh, snapshots };
}

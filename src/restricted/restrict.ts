/**
 * The service as one user may have it: the jobs, labs and workspaces that the user may read or change. Routes get nothing else,
 * so no route can forget to check the permission.
 */
import { anybody, type Principal } from '../access/model/principal.ts';
import type { EventService } from '../events/model/event-service.ts';
import type { VisibleJob } from '../jobs/model/job-filter.ts';
import { LoginEnds } from './login-ends.ts';
import type { Machine } from './machine.ts';
import type { QuotaReport } from '../quotas/quota-service.ts';
import { noQuotas, UserAccess } from './user-access.ts';
import { UserJobs } from './user-jobs.ts';
import { UserLabs } from './user-labs.ts';
import { UserSnapshots } from './snapshot.ts';
import { UserWorkspaces } from './workspace.ts';

/** The user of requests without a login, at routes that need no login: such a user may see nothing. */
const stranger: Principal = { ...anybody, role: 'viewer', workdirs: [] };

function restrictEvents({ events }: Machine, sight: UserAccess): EventService {
  if (!sight.isNarrowed) return events;
  return {
    follow: ({ filter, ...options }) =>
      events.follow({
        ...options,
        filter: {
          ...filter,
          isVisible: (job) => sight.mayReadJob(job),
          isVisibleLab: (lab) => sight.mayReadEventLab(lab),
        },
      }),
  };
}

/** The default directory of templates if the user may use it, else the first directory of the user. */
function templatesDirOf(templatesDir: string | undefined, sight: UserAccess): string | undefined {
  const [first] = sight.workdirs ?? [];
  return first === undefined || sight.mayName(templatesDir ?? process.cwd()) ? templatesDir : first;
}

/** The details of a failed check name directories of the service and jobs of other users. */
function restrictReadiness({ readiness }: Machine, sight: UserAccess): Machine['readiness'] {
  if (!sight.isNarrowed) return readiness;
  return async () => {
    const checks = await readiness();
    return checks.map(({ name, ok }) => ({
      name,
      ok,
      detail: ok ? 'as it should be' : 'ask an administrator',
    }));
  };
}

/** The parts that routes do not get at all: leases, faults and owners are those of a `Lab`, files those of a `Workspace`, and groups and quotas decide about both. */
type Hidden =
  | 'labs'
  | 'leases'
  | 'faults'
  | 'owners'
  | 'quotas'
  | 'groups'
  | 'jobs'
  | 'workspaces'
  | 'snapshots'
  | 'files';

/** The parts of the service as one user may have them. */
interface UserParts extends Omit<Machine, Hidden> {
  readonly labs: UserLabs;
  readonly jobs: UserJobs;
  readonly workspaces: UserWorkspaces;
  readonly snapshots: UserSnapshots;
  /** Whether the user may know of a job, also of one on another host. */
  readonly mayReadJob: (job: VisibleJob) => boolean;
  /** See `UserAccess.quotasOf`. */
  readonly quotasOf: (name: string | undefined) => Promise<QuotaReport>;
}

/** For every request where users do not log in. */
function allOf(machine: Machine): UserParts {
  const access = undefined;
  const jobs = new UserJobs(machine, access);
  const workspaces = new UserWorkspaces({ machine, access });
  const { config, events, readiness, shutdown } = machine;
  return {
    config,
    events,
    readiness,
    shutdown,
    jobs,
    labs: new UserLabs({ machine, jobs, access }),
    workspaces,
    snapshots: new UserSnapshots({ machine, jobs, workspaces, access }),
    mayReadJob: () => true,
    quotasOf: async () => Promise.resolve(noQuotas),
  };
}

function partsFor(principal: Principal, machine: Machine): Partial<UserParts> {
  const access = new UserAccess(principal, machine);
  const jobs = new UserJobs(machine, access);
  const workspaces = new UserWorkspaces({ machine, access });
  const snapshots = new UserSnapshots({ machine, jobs, workspaces, access });
  // An administrator may change everything until the login ends: changes that are under way then are refused.
  const quotasOf = async (name: string | undefined) => access.quotasOf(name);
  if (principal.role === 'admin') return { jobs, workspaces, snapshots, quotasOf };
  return {
    config: { ...machine.config, templatesDir: templatesDirOf(machine.config.templatesDir, access) },
    jobs,
    workspaces,
    snapshots,
    mayReadJob: (job) => access.mayReadJob(job),
    quotasOf,
    events: restrictEvents(machine, access),
    labs: new UserLabs({ machine, jobs, access }),
    readiness: restrictReadiness(machine, access),
  };
}

/** The context of routes, for a service whose parts are `Whole`. */
export type Restricted<Whole extends Machine> = Omit<Whole, Exclude<keyof Machine, 'config'>> & UserParts;

export class Restrictions<Whole extends Machine> {
  readonly #whole: Whole;
  readonly #all: Restricted<Whole>;
  readonly #ends: LoginEnds;
  readonly #made = new WeakMap<Principal, Restricted<Whole>>();
  /** By the name of the lab CLI, for requests about its labs alone. */
  readonly #ofCli = new Map<string, Restrictions<Whole>>();

  constructor(whole: Whole) {
    this.#whole = whole;
    const {
      leases: _leases,
      faults: _faults,
      owners: _owners,
      quotas: _quotas,
      groups: _groups,
      files: _files,
      ...shared
    } = whole;
    // The compiler cannot tell that fewer keys of a generic type were left out above than its own type leaves out.
    this.#all = { ...shared, ...allOf(whole) } as Restricted<Whole>;
    this.#ends = new LoginEnds(whole.shutdown);
  }

  /** The same for the same login; everything, at no cost, where users do not log in. Its `shutdown` is the end of the login, too. */
  of(principal: Principal = stranger, cli?: string): Restricted<Whole> {
    if (cli !== undefined) return this.#only(cli).of(principal);
    if (principal === anybody) return this.#all;
    const known = this.#made.get(principal);
    if (known) return known;
    const shutdown = this.#ends.signalOf(principal.revoked);
    const made = { ...this.#all, ...partsFor(principal, this.#whole), shutdown };
    this.#made.set(principal, made);
    return made;
  }

  /** @throws AppError `invalid-request` for a lab CLI that the service does not have. */
  #only(cli: string): Restrictions<Whole> {
    const known = this.#ofCli.get(cli);
    if (known) return known;
    const made = new Restrictions({ ...this.#whole, labs: this.#whole.labs.only(cli) });
    this.#ofCli.set(cli, made);
    return made;
  }
}

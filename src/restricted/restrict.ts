/**
 * The service as one user may have it: the same parts, each seen through what he may read and change. Routes get nothing else,
 * so that none of them can forget to ask.
 */
import { anybody, type Principal } from '../access/model/principal.ts';
import type { EventService } from '../events/model/event-service.ts';
import type { LeaseService } from '../leases/lease-service.ts';
import type { OwnerService } from '../owners/owner-service.ts';
import { LoginEnds } from './login-ends.ts';
import type { Parts } from './parts.ts';
import { RestrictedJobs } from './restricted-jobs.ts';
import { LabGate, restrictLabs } from './restricted-labs.ts';
import { restrictWorkspaces } from './restricted-workspaces.ts';
import { UserAccess } from './user-access.ts';

/** Whoever has not logged in, at routes that ask for no login: there is nothing that he may see. */
const stranger: Principal = { ...anybody, role: 'viewer', workdirs: [] };

function restrictEvents({ events }: Parts, sight: UserAccess): EventService {
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

function restrictLeases({ leases }: Parts, gate: LabGate): LeaseService {
  return {
    expiresAt: (lab) => leases.expiresAt(lab),
    change: async (id, end) => {
      const { cli } = await gate.change(id);
      return leases.change(id, end, cli);
    },
  };
}

function restrictOwners({ owners }: Parts, sight: UserAccess): OwnerService {
  return {
    ownerOf: (lab) => owners.ownerOf(lab),
    give: async (lab, owner) =>
      owners.give(lab, owner, () => {
        const { directory } = lab;
        const resource = { owner: owners.ownerOf(lab), workspaceOwner: null, directory };
        sight.assertMayGive(resource, `the lab in ${directory ?? 'no directory'}`);
      }),
  };
}

/** A directory that he may use, where the one that is meant without a name is none of them. */
function templatesDirOf(templatesDir: string | undefined, sight: UserAccess): string | undefined {
  const [first] = sight.workdirs ?? [];
  return first === undefined || sight.mayName(templatesDir ?? process.cwd()) ? templatesDir : first;
}

/** Why something is not as it should be names directories of the service, and jobs of anybody. */
function restrictReadiness({ readiness }: Parts, sight: UserAccess): Parts['readiness'] {
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

function viewsFor(principal: Principal, parts: Parts): Partial<Parts> {
  const sight = new UserAccess(principal, parts);
  // All is an administrator's to change, until the login ends: what is still on its way then is refused.
  if (principal.role === 'admin')
    return { jobs: new RestrictedJobs(parts, sight), ...restrictWorkspaces(parts, sight) };
  const gate = new LabGate(parts, sight);
  return {
    config: { ...parts.config, templatesDir: templatesDirOf(parts.config.templatesDir, sight) },
    jobs: new RestrictedJobs(parts, sight),
    mayReadJob: (job) => sight.mayReadJob(job),
    events: restrictEvents(parts, sight),
    labs: restrictLabs(parts, sight, gate),
    ...restrictWorkspaces(parts, sight),
    leases: restrictLeases(parts, gate),
    owners: restrictOwners(parts, sight),
    readiness: restrictReadiness(parts, sight),
  };
}

export class Restrictions<Context extends Parts> {
  readonly #all: Context;
  readonly #ends: LoginEnds;
  readonly #made = new WeakMap<Principal, Context>();
  /** By the lab CLI whose labs are seen alone. */
  readonly #ofCli = new Map<string, Restrictions<Context>>();

  constructor(all: Context) {
    this.#all = all;
    this.#ends = new LoginEnds(all.shutdown);
  }

  /** The same for the same login; all of it, as it is, where nobody logs in. Its `shutdown` is the end of the login, too. */
  of(principal: Principal = stranger, cli?: string): Context {
    if (cli !== undefined) return this.#only(cli).of(principal);
    if (principal === anybody) return this.#all;
    const known = this.#made.get(principal);
    if (known) return known;
    const shutdown = this.#ends.signalOf(principal.revoked);
    const made = { ...this.#all, ...viewsFor(principal, this.#all), shutdown };
    this.#made.set(principal, made);
    return made;
  }

  #only(cli: string): Restrictions<Context> {
    const known = this.#ofCli.get(cli);
    if (known) return known;
    const made = new Restrictions({ ...this.#all, ...this.#all.ofCli(cli) });
    this.#ofCli.set(cli, made);
    return made;
  }
}

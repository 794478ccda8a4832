/** Decides for one user: finds the owner and the directory of a job, a lab or a workspace, and lets the model decide. */
import type { Share } from '../access/model/groups.ts';
import {
  hasAsOwn,
  isNarrowed,
  mayChange,
  mayGive,
  mayRead,
  mayWorkIn,
  type Asker,
  type Resource,
} from '../access/model/ownership.ts';
import type { Principal } from '../access/model/principal.ts';
import type { EventLab } from '../events/model/event.ts';
import type { VisibleJob } from '../jobs/model/job-filter.ts';
import type { JobQuota } from '../jobs/model/lab-port.ts';
import type { KnownLab } from '../labs/status/lab-status.ts';
import { AppError } from '../lib/app-error.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { realPathOf } from '../lib/files/real-path.ts';
import { isMapping } from '../lib/mapping.ts';
import { oncePerTurn } from '../lib/async/once-per-turn.ts';
import type { Gift, QuotaReport, QuotaUser } from '../quotas/quota-service.ts';
import { loginEnded } from './login-ends.ts';
import type { Machine } from './machine.ts';
import type { Needs } from './needs.ts';
import { withoutFigures } from './without-output.ts';

function ownerUnknown(directory: string, cause: Error): AppError {
  const message = `the owner of the lab in ${directory} is unknown: the lab CLI's list of labs cannot be read`;
  return new AppError('lab-cli-failed', message, { cause, retryAfterSeconds: 10 });
}

/** Where users do not log in. */
export const noQuotas: QuotaReport = { quotas: [], maxLeaseMs: null };

interface Found {
  readonly owner: string | null;
  readonly directory: string | null;
  /** When it was made (RFC 3339): before its workspace, it was in an earlier one of that name. */
  readonly at?: string;
  /** Its own, without those of its workspace. */
  readonly shares?: readonly Share[];
}

export class UserAccess {
  readonly #principal: Principal;
  readonly #parts: Machine;
  readonly #asker: () => Asker;
  readonly #recorded: () => ReturnType<Machine['labs']['onRecord']>;

  constructor(principal: Principal, parts: Machine) {
    this.#principal = principal;
    this.#parts = parts;
    const { name, role } = principal;
    // A hundred thousand jobs may be held against them in one turn.
    this.#asker = oncePerTurn(() => ({
      name,
      role,
      workdirs: principal.workdirs?.map(realPathOf) ?? null,
      ...parts.groups().of(name),
    }));
    // A list of labs is held against all of them, for each lab.
    this.#recorded = oncePerTurn(() => parts.labs.onRecord());
  }

  /** Whether there is anything that the user may not read. */
  get isNarrowed(): boolean {
    return isNarrowed(this.#principal);
  }

  /** Whether the user may change only their own things. */
  get isStrict(): boolean {
    return this.#principal.role !== 'admin' && this.#parts.config.ownership === 'strict';
  }

  get #quotaUser(): QuotaUser | undefined {
    const { name, role } = this.#principal;
    return name === null ? undefined : { name, role };
  }

  /** For the jobs of the user; undefined where users do not log in. */
  get jobQuota(): JobQuota | undefined {
    return this.#quotaUser && this.#parts.quotas.ofJobs(this.#quotaUser);
  }

  /** The longest lease of a lab of the user, in ms; undefined without a limit. */
  get maxLeaseMs(): number | undefined {
    return this.#quotaUser && this.#parts.quotas.maxLeaseMsOf(this.#quotaUser);
  }

  /** @throws AppError `over-quota`. Administrators may give more than that. */
  assertMayGet(newOwner: string | null, gift: Gift): void {
    if (newOwner === null || this.#principal.role === 'admin') return;
    try {
      this.#parts.quotas.assertMayGet(newOwner, gift);
    } catch (error) {
      throw this.quotaError(error, newOwner);
    }
  }

  /** `over-quota` with the figures of an owner, if the user may see these; any other error as it is. */
  quotaError(error: unknown, owner: string | null): unknown {
    return owner === null || this.#maySeeQuotasOf(owner) ? error : withoutFigures(error, owner);
  }

  /** The same for the files of a workspace, which count for its owner. */
  uploadError(error: unknown, workspace: string): unknown {
    const quota = error instanceof AppError ? error.extra['quota'] : undefined;
    const isForOwner = isMapping(quota) && quota['resource'] === 'workspaceBytes';
    return isForOwner ? this.quotaError(error, this.workspace(workspace)?.owner ?? null) : error;
  }

  #maySeeQuotasOf(name: string): boolean {
    const { name: own, role } = this.#principal;
    return role === 'admin' || name === own || hasAsOwn(this.#asker(), name);
  }

  /**
   * The quotas of the user, or of another one. @throws AppError `forbidden` about a user who is in no group that this user leads;
   * `cluster-unavailable`.
   */
  async quotasOf(name = this.#principal.name): Promise<QuotaReport> {
    const own = this.#principal;
    if (name === null) return noQuotas;
    if (name === own.name) return this.#parts.quotas.report({ name, role: own.role });
    if (!this.#maySeeQuotasOf(name))
      throw new AppError(
        'forbidden',
        'the quotas of another user are for administrators and leaders of a group',
      );
    return this.#parts.quotas.report({ name });
  }

  /** A place without an owner, unless it is in a workspace. */
  place(directory: string): Resource {
    return this.#resource({ owner: null, directory });
  }

  /** The directories that the user may use, as they are on this machine now; null for all. */
  get workdirs(): readonly string[] | null {
    return this.#asker().workdirs;
  }

  mayRead(resource: Resource): boolean {
    return mayRead(this.#asker(), resource);
  }

  /** Whether the user may do with the resource what such a request needs. */
  may(needs: Needs, resource: Resource): boolean {
    switch (needs) {
      case 'read':
        return this.mayRead(resource);
      case 'make':
      case 'change':
        return mayChange(this.#asker(), resource, this.#parts.config.ownership);
      case 'give':
        return mayGive(this.#asker(), resource);
    }
  }

  /** Whether the user may name a path: absolute, symbolic links resolved. */
  mayName(realPath: string): boolean {
    return this.mayRead(this.place(realPath));
  }

  /** Whether a job of the user may read a path: one that the user may name, or one in the directory of a lab of the user. */
  mayUse(realPath: string): boolean {
    return this.mayName(realPath) || this.#isInOwnLab(realPath);
  }

  /** Whether a job of the user may write to a path: as `mayUse`, but not where others have shared their files for reading. */
  mayWorkIn(realPath: string): boolean {
    return mayWorkIn(this.#asker(), this.place(realPath)) || this.#isInOwnLab(realPath);
  }

  /** Labs that are unknown now do not count as labs of this user. */
  #isInOwnLab(realPath: string): boolean {
    const around = this.#recorded().labs.filter((lab) => isInside(lab.directory, realPath));
    return around.some((lab) => hasAsOwn(this.#asker(), this.labAt(lab.directory, lab.startedAtMs).owner));
  }

  mayReadJob(job: VisibleJob): boolean {
    return this.mayRead(this.jobResource(job));
  }

  jobResource({ requestedBy, workdir, createdAt }: VisibleJob): Resource {
    return this.#resource({ owner: requestedBy, directory: workdir, at: createdAt });
  }

  labResource({ directory, ...lab }: Pick<KnownLab, 'cli' | 'directory' | 'entry'>): Resource {
    return this.labAt(directory, this.#parts.labs.startOf(lab)?.atMs ?? null);
  }

  /** The lab in a directory; undefined when there is none. @throws AppError `lab-cli-failed` when that is unknown. */
  labIn(directory: string): Resource | undefined {
    const { labs, failure } = this.#recorded();
    const lab = labs.find((other) => other.directory === directory);
    if (lab !== undefined) return this.labAt(directory, lab.startedAtMs);
    if (failure !== undefined) throw ownerUnknown(directory, failure);
    return undefined;
  }

  /** The labs that the lab CLI has on record in a directory and below, without their own shares: those allow no jobs. @throws AppError `lab-cli-failed`. */
  labsIn(directory: string): readonly Resource[] {
    const { labs, failure } = this.#recorded();
    if (failure !== undefined) throw ownerUnknown(directory, failure);
    const inside = labs.filter((lab) => isInside(directory, lab.directory));
    return inside.map((lab) => ({
      ...this.labAt(lab.directory, lab.startedAtMs),
      shares: this.place(lab.directory).shares,
    }));
  }

  /** For the lab of an event, which may be gone by now. */
  mayReadEventLab({ cli, directory, status }: EventLab): boolean {
    if (directory === null) return !this.isNarrowed;
    if (this.mayName(directory)) return true;
    if (status !== null) return this.mayRead(this.labResource({ cli: cli ?? '', directory, entry: status }));
    try {
      return this.mayRead(this.labIn(directory) ?? this.place(directory));
    } catch {
      return false;
    }
  }

  /** Undefined for a name that is free. */
  workspace(name: string): Resource | undefined {
    const { workspaces } = this.#parts;
    if (!workspaces.isTaken(name)) return undefined;
    const owner = workspaces.recordOf(name)?.owner ?? null;
    return this.#resource({ owner, directory: workspaces.directoryOf(name) });
  }

  /** `what` begins the sentence. @throws AppError `forbidden`; `unauthorized` when the login has ended meanwhile. */
  assertMayChange(resource: Resource, what: string): void {
    this.assertLoggedIn();
    if (!this.may('change', resource)) throw this.#forbidden(resource, what);
  }

  /** @throws AppError as `assertMayChange`. */
  assertMayGive(resource: Pick<Resource, 'owner' | 'workspaceOwner'>, what: string): void {
    this.assertLoggedIn();
    if (!mayGive(this.#asker(), resource)) throw this.#forbidden(resource, what);
  }

  /** Between a request and what it does, a login may end. @throws AppError `unauthorized`. */
  assertLoggedIn(): void {
    if (this.#principal.revoked.aborted) throw loginEnded();
  }

  #forbidden({ owner }: Pick<Resource, 'owner'>, what: string): AppError {
    const why = owner === null ? 'its owner is unknown' : `it belongs to ${owner}`;
    return new AppError('forbidden', `${what} is for its owner or an administrator to change: ${why}`);
  }

  /** A lab that lives there and was started then. */
  labAt(directory: string | undefined, startedAtMs: number | null): Resource {
    const real = directory === undefined ? null : realPathOf(directory);
    const lab = { directory: real, startedAtMs };
    const { owners } = this.#parts;
    return this.#resource({ owner: owners.ownerOf(lab), directory: real, shares: owners.sharesOf(lab) });
  }

  #resource({ owner, directory, at, shares = [] }: Found): Resource {
    const { workspaces } = this.#parts;
    const name = directory === null ? null : workspaces.nameOf(directory);
    const record = name === null ? undefined : workspaces.recordOf(name);
    const isOfNow = record !== undefined && (at === undefined || record.createdAt <= at);
    const ofWorkspace = isOfNow ? record : undefined;
    return {
      owner,
      workspaceOwner: ofWorkspace?.owner ?? null,
      directory,
      shares: shares.length === 0 ? (ofWorkspace?.shares ?? []) : [...shares, ...(ofWorkspace?.shares ?? [])],
    };
  }
}

/** The operations of quotas for HTTP and for jobs. */
import type { CountedResource, Quota } from '../access/model/quotas.ts';
import type { Role } from '../access/model/role.ts';
import type { JobQuota } from '../jobs/model/lab-port.ts';

/** A user, as the request knows them. */
export interface QuotaUser {
  readonly name: string;
  readonly role: Role;
}

/** How much there is of a resource, and how much there may be. */
interface QuotaView extends Pick<Quota, 'kind' | 'name'> {
  readonly resource: CountedResource;
  readonly used: number;
  /** Null: there is no limit. */
  readonly limit: number | null;
}

export interface QuotaReport {
  readonly quotas: readonly QuotaView[];
  /** The longest lease of a lab, in ms; null: there is no limit. */
  readonly maxLeaseMs: number | null;
}

/** A lab by its directory, or a workspace by its name. */
export type Gift = { readonly directory: string | null } | { readonly workspace: string };

export interface QuotaService {
  /** For the jobs of a user. */
  ofJobs(user: QuotaUser): JobQuota;
  /** The longest lease of a lab, in ms; undefined without a limit. */
  maxLeaseMsOf(user: QuotaUser): number | undefined;
  /** All limits that apply to a user, and how much of everything the user has. Without a role, it is looked up. @throws AppError `lab-cli-failed` while the labs of a lab CLI are unknown; `cluster-unavailable`. */
  report(user: Pick<QuotaUser, 'name'> & Partial<QuotaUser>): Promise<QuotaReport>;
  /** Whether a user may get a lab or a workspace from another user. @throws AppError `over-quota`. */
  assertMayGet(name: string, gift: Gift): void;
}

/** What the service knows of a lab besides what the lab CLI tells. */
import type { Lab } from '../../labs/status/lab-list.ts';
import type { Parts } from '../../restricted/parts.ts';

export interface ServiceFacts {
  /** The workspace that the lab lives in. */
  readonly workspace: string | null;
  /** When its lease ends, RFC 3339. */
  readonly expiresAt: string | null;
  /** Who asked for the job that started it. */
  readonly owner: string | null;
  /** The ids of its last jobs, newest first. */
  readonly jobs: readonly string[];
}

/** Who knows something of labs. */
interface Knowing {
  readonly jobs: Pick<Parts['jobs'], 'summaries'>;
  readonly labs: { readonly status: Pick<Parts['labs']['status'], 'startOf'> };
  readonly workspaces: Pick<Parts['workspaces'], 'nameOf'>;
  readonly leases: Pick<Parts['leases'], 'expiresAt'>;
  readonly owners: Pick<Parts['owners'], 'ownerOf'>;
}

const jobsMax = 10;

export function serviceFactsOf(lab: Lab, { jobs, labs, workspaces, leases, owners }: Knowing): ServiceFacts {
  const { cli, workdir, entry } = lab;
  const startedAtMs = labs.status.startOf({ cli, entry })?.atMs ?? null;
  const last = jobs.summaries({ instance: lab.id, ...(workdir !== null && { workdir }) }, jobsMax);
  return {
    workspace: workdir === null ? null : workspaces.nameOf(workdir),
    expiresAt: leases.expiresAt({ cli, directory: workdir ?? undefined, entry }),
    owner: owners.ownerOf({ directory: workdir, startedAtMs }),
    jobs: last.map(({ id }) => id),
  };
}

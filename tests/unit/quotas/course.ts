/** Users with quotas on a machine with netlab and containerlab, which keeps no record of its labs. The store of jobs is a real one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Quotas, type Limits, type UserLimits } from '../../../src/access/model/quotas.ts';
import type { Role } from '../../../src/access/model/role.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import type { QuotaJob } from '../../../src/jobs/model/lab-port.ts';
import type { JobStore } from '../../../src/jobs/store/job-store.ts';
import { Holdings } from '../../../src/quotas/holdings.ts';
import { noUsage, type Usage, type UsageByOwner, type UsageElsewhere } from '../../../src/quotas/usage.ts';
import { UserQuotas } from '../../../src/quotas/user-quotas.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { storedJobs } from '../../support/stored-jobs.ts';

interface Given {
  readonly server?: Limits;
  readonly operators?: UserLimits;
  readonly sue?: UserLimits;
  /** Of sue and sam, the members of the group `course`. */
  readonly together?: Limits;
}

interface OwnedLab {
  readonly id: string;
  readonly directory: string;
  readonly owner: string | null;
  readonly nodes: number;
}

/** The other hosts of a cluster. */
export class OtherHosts implements UsageElsewhere {
  last: UsageByOwner = new Map();
  /** As this host has told it. */
  told: UsageByOwner | undefined;
  /** Runs after this host has read, and before it writes. */
  meanwhile: () => void = () => undefined;
  #version = 0;

  has(owner: string, usage: Partial<Usage>): void {
    this.last = new Map(this.last).set(owner, { ...noUsage, ...usage });
    this.#version += 1;
  }

  async read() {
    return Promise.resolve({ usage: this.last, version: String(this.#version) });
  }

  async write(own: UsageByOwner, version: string): Promise<boolean> {
    this.meanwhile();
    if (version !== String(this.#version)) return Promise.resolve(false);
    this.told = own;
    return Promise.resolve(true);
  }
}

/** As the machine is now; tests change it. */
function machineNow() {
  return {
    /** Those that the lab CLIs have on record. */
    labs: [] as readonly OwnedLab[],
    /** Why that cannot be read. */
    failure: undefined as Error | undefined,
    /** Whether netlab tells the nodes of its labs. */
    tellsNodes: true,
    /** Whether containerlab was asked since its last job. */
    isRecent: true,
    /** By directory: what the service remembers of labs that are not on record. */
    owners: {} as Readonly<Record<string, string>>,
    workspaces: {} as Readonly<Record<string, { readonly owner: string | null; readonly bytes: number }>>,
    roles: { sue: 'operator', sam: 'operator' } as Readonly<Record<string, Role>>,
    hosts: undefined as OtherHosts | undefined,
    quotas: new Quotas(),
  };
}
type MachineNow = ReturnType<typeof machineNow>;

function holdingsOf(now: MachineNow, store: JobStore): Holdings {
  let listed: readonly object[] = [];
  const statusOf = {
    get isLastRecent() {
      return now.isRecent;
    },
  };
  const member = (name: string, keepsNoRecord: boolean, last: () => object | undefined) => ({
    name,
    places: { keepsNoRecord },
    status: statusOf,
    list: {
      get last() {
        return last();
      },
    },
  });
  const labs = {
    members: [
      member('netlab', false, () => ({ value: listed })),
      member('containerlab', true, () => undefined),
    ],
    onRecord: () => ({ labs: now.labs.map((lab) => ({ ...lab, startedAtMs: null })), failure: now.failure }),
    seeAll: async () => Promise.resolve(),
    listWithNodes: async () => {
      if (!now.tellsNodes) throw new Error('netlab does not answer');
      listed = now.labs.map(({ directory, nodes }) => ({
        workdir: directory,
        nodes: Array.from({ length: nodes }, () => ({})),
      }));
      return Promise.resolve();
    },
  };
  const ownerOf = ({ directory }: { readonly directory: string }) =>
    now.labs.find((lab) => lab.directory === directory)?.owner ?? now.owners[directory] ?? null;
  const bytesByOwner = () => {
    const all = new Map<string | null, number>();
    for (const { owner, bytes } of Object.values(now.workspaces))
      all.set(owner, (all.get(owner) ?? 0) + bytes);
    return all;
  };
  const workspaces = {
    room: { bytesByOwner },
    sizes: {
      names: () => Object.keys(now.workspaces),
      bytesOf: (name: string) => now.workspaces[name]?.bytes ?? 0,
    },
    ownerOf: (name: string) => now.workspaces[name]?.owner ?? null,
  };
  const deps = { labs, owners: { ownerOf }, parts: () => ({ store, workspaces }) };
  return new Holdings(deps as unknown as ConstructorParameters<typeof Holdings>[0]);
}

/** Call it once in a test file. The result makes a course; with the store of another one, it is the same after a restart. */
export function courses() {
  const { openStore } = storedJobs();
  let jobs = 0;
  return async (given: Given = {}, before?: { readonly directory: string; readonly now: MachineNow }) => {
    const { store, directory } = await openStore(before?.directory);
    const now = before?.now ?? machineNow();
    const quotas = new UserQuotas({
      quotas: () => now.quotas,
      roleOf: (name) => now.roles[name],
      holdings: holdingsOf(now, store),
      elsewhere: () => now.hosts,
    });
    const close = await quotas.open();
    // A look at the labs counts for all requests of the same turn.
    await nextTurn();
    const use = ({ server, operators, sue, together }: Given): void => {
      const user = { name: 'sue', role: 'operator', workdirs: null, password: null, tokens: [] } as const;
      now.quotas = new Quotas(
        { ...(server && { server }), ...(operators && { roles: { operator: operators } }) },
        [{ ...user, ...(sue && { quotas: sue }) }],
        [{ name: 'course', members: ['sue', 'sam'], leaders: [], quotas: { ...(together && { together }) } }],
      );
    };
    if (!before) use(given);

    /** Submits a job, whose record is the result. */
    const submit = async (name: string, wanted: Partial<QuotaJob> & Partial<Job> = {}): Promise<Job> => {
      await nextTurn();
      jobs += 1;
      const job = sampleJob({
        id: sampleId(jobs),
        workdir: `/labs/${jobs}`,
        requestedBy: name,
        nodeCount: 1,
        cli: 'netlab',
        ...wanted,
      });
      const isDryRun = job.request['dryRun'] === true;
      const record = await quotas.ofJobs({ name, role: 'operator' }).check({ ...job, isDryRun });
      return record(async () => {
        await store.create(job, undefined);
        return job;
      });
    };
    const end = async ({ id }: Job, state: 'success' | 'failed' = 'success'): Promise<void> => {
      const at = new Date().toISOString();
      await store.update(id, (job) => ({ ...job, state: 'running', startedAt: at }));
      await store.update(id, (job) => ({ ...job, state, finishedAt: at }));
    };
    /** The usage that counts for the quota of the user, or for one of another kind. */
    const used = async (name: string, kind = 'user'): Promise<Partial<Record<string, number>>> => {
      await nextTurn();
      const report = await quotas.report({ name });
      const shown = report.quotas.filter((quota) => quota.kind === kind);
      return Object.fromEntries(shown.map((quota) => [quota.resource, quota.used]));
    };
    return { now, directory, store, quotas, use, submit, end, used, close };
  };
}

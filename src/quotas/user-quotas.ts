/** Holds what users ask for against their quotas. Every check runs in the turn in which the thing is recorded. */
import type { CountedResource, Quota, Quotas } from '../access/model/quotas.ts';
import { countedResources } from '../access/model/quotas.ts';
import type { Role } from '../access/model/role.ts';
import type { JobQuota, QuotaJob, WantedTogether } from '../jobs/model/lab-port.ts';
import { specOf, startsLab } from '../labs/model/actions.ts';
import type { UploadQuotas } from '../labs/workspaces/workspace-room.ts';
import { AppError } from '../lib/app-error.ts';
import { formatSize } from '../lib/text/size.ts';
import type { Holdings } from './holdings.ts';
import type { Gift, QuotaReport, QuotaService, QuotaUser } from './quota-service.ts';
import {
  areLimited,
  countedFor,
  findExcess,
  minus,
  withMore,
  type Excess,
  type Usage,
  type UsageByOwner,
  type UsageElsewhere,
} from './usage.ts';

interface UserQuotasDeps {
  /** As the users file has them now. */
  readonly quotas: () => Quotas;
  /** Undefined for a user who is not known now. */
  readonly roleOf: (name: string) => Role | undefined;
  readonly holdings: Holdings;
  /** Undefined for a service that works alone. */
  readonly elsewhere: () => UsageElsewhere | undefined;
}

/** Other hosts write at the same time. */
const mostTries = 100;
const mostNames = 20;

const words: Readonly<Record<CountedResource, readonly [one: string, many: string]>> = {
  labs: ['lab', 'labs'],
  nodes: ['node', 'nodes'],
  jobs: ['waiting or running job', 'waiting or running jobs'],
  workspaceBytes: ['in workspaces', 'in workspaces'],
};

const remedies: Readonly<Record<CountedResource, string>> = {
  labs: 'take a lab down',
  nodes: 'take a lab down, or start a smaller one',
  jobs: 'wait for a job or cancel one',
  workspaceBytes: 'remove files or a workspace',
};

function numberOf(resource: CountedResource, count: number): string {
  if (count === Infinity) return 'an unknown number';
  return resource === 'workspaceBytes' ? formatSize(count) : String(count);
}

function holderOf({ kind, name }: Quota): string {
  if (kind === 'server') return 'this server';
  return kind === 'group' ? `the group ${name}` : String(name);
}

/** The refusal, with the things of the user in it. */
function overQuota({ quota, resource, limit, used, wanted }: Excess, names: readonly string[]): AppError {
  const left = Math.max(0, limit - used);
  const count = (value: number): string => numberOf(resource, value);
  const unit = words[resource][limit === 1 ? 0 : 1];
  const sentence = `the quota of ${holderOf(quota)} is ${count(limit)} ${unit}: ${count(used)} used, ${count(left)} left, ${count(wanted)} more needed; ${remedies[resource]}, or ask an administrator for more`;
  const { kind, name } = quota;
  const yours = names.slice(0, mostNames);
  return new AppError('over-quota', sentence, {
    extra: { quota: { kind, name, resource, limit, used, wanted, left, yours, yourCount: names.length } },
  });
}

/** Jobs that take labs away make room, so they are never refused. */
function isFree({ action, isDryRun }: QuotaJob): boolean {
  return specOf(action).stopsLab === true && !isDryRun;
}

interface Coming {
  readonly owner: string;
  readonly wanted: Partial<Usage>;
}

export class UserQuotas implements QuotaService, UploadQuotas {
  /** How many requests did not fit, since the start of the service. */
  readonly refused: Record<CountedResource, number> = { labs: 0, nodes: 0, jobs: 0, workspaceBytes: 0 };
  readonly #deps: UserQuotasDeps;
  #coming: Coming | undefined;

  constructor(deps: UserQuotasDeps) {
    this.#deps = deps;
  }

  /** Call when the records of jobs were read. The result ends it. */
  async open(): Promise<() => void> {
    return this.#deps.holdings.open();
  }

  ofJobs(user: QuotaUser): JobQuota {
    return {
      countsNodes: () => this.#deps.quotas().limitNodes,
      maxLeaseMs: () => this.maxLeaseMsOf(user),
      checkAll: async (wanted) => this.#checkAll(wanted, user),
      check: async (job) => this.#checkJob(job, user),
    };
  }

  maxLeaseMsOf({ name, role }: QuotaUser): number | undefined {
    return this.#deps.quotas().limitsOf(name, role).leaseMs;
  }

  /** Each job and each piece of a file is counted again, when it comes. */
  async #checkAll(
    { actions, nodeCount, workspaceBytes }: WantedTogether,
    { name, role }: QuotaUser,
  ): Promise<void> {
    const { holdings } = this.#deps;
    const labs = actions.filter(startsLab).length;
    const nodes = labs * nodeCount;
    const wanted = { jobs: actions.length, labs, nodes, workspaceBytes };
    const quotas = this.#deps.quotas().of(name, role);
    if (!areLimited(quotas, wanted)) return;
    await holdings.see({ withNodes: areLimited(quotas, { nodes }) });
    if (areLimited(quotas, { labs, nodes })) holdings.assertKnown();
    this.#assertFits(quotas, name, { lists: await this.#everywhere(), wanted });
  }

  /** The usage on this machine, and on the other hosts of a cluster. @throws AppError `cluster-unavailable`. */
  async #everywhere(): Promise<readonly UsageByOwner[]> {
    const own = this.#deps.holdings.byOwner();
    const others = await this.#deps.elsewhere()?.read();
    return others ? [own, others.usage] : [own];
  }

  async #checkJob(job: QuotaJob, { name, role }: QuotaUser): ReturnType<JobQuota['check']> {
    const { holdings } = this.#deps;
    const all = (): readonly Quota[] => this.#deps.quotas().of(name, role);
    const isStart = startsLab(job.action) && !job.isDryRun;
    const atMost = { jobs: 1, ...(isStart && { labs: 1, nodes: 1 }) };
    if (isFree(job) || !areLimited(all(), atMost)) return async (record) => record();
    await holdings.see({ withNodes: isStart && areLimited(all(), { nodes: 1 }) });
    return async (record) => {
      const quotas = all();
      // Without a limit, they were not counted.
      const nodes = areLimited(quotas, { nodes: 1 }) ? job.nodeCount : 0;
      const wanted = { jobs: 1, ...(isStart && holdings.ofStart(job, nodes)) };
      if (areLimited(quotas, { ...wanted, jobs: 0 })) holdings.assertKnown();
      return this.#take(quotas, { owner: name, wanted }, record);
    };
  }

  /** The usage on this machine, with what is about to be recorded. */
  usage(): UsageByOwner {
    const own = this.#deps.holdings.byOwner();
    return this.#coming ? withMore(own, this.#coming.owner, this.#coming.wanted) : own;
  }

  /** @throws AppError `over-quota`, `cluster-unavailable`. */
  async #take<T>(quotas: readonly Quota[], coming: Coming, record: () => Promise<T>): Promise<T> {
    if (!areLimited(quotas, coming.wanted)) return record();
    // One at a time: it is called in turn.
    this.#coming = coming;
    try {
      await this.#reserve(quotas, coming);
      return await record();
    } finally {
      this.#coming = undefined;
    }
  }

  async #reserve(quotas: readonly Quota[], { owner, wanted }: Coming): Promise<void> {
    const elsewhere = this.#deps.elsewhere();
    for (let tries = 0; tries < mostTries; tries += 1) {
      const own = this.#deps.holdings.byOwner();
      const others = await elsewhere?.read();
      this.#assertFits(quotas, owner, { lists: others ? [own, others.usage] : [own], wanted });
      if (!others || (await elsewhere?.write(this.usage(), others.version))) return;
    }
    throw new AppError('cluster-unavailable', 'too many hosts take jobs at the same time: try again', {
      retryAfterSeconds: 1,
    });
  }

  #assertFits(
    quotas: readonly Quota[],
    owner: string,
    { lists, wanted }: { readonly lists: readonly UsageByOwner[]; readonly wanted: Partial<Usage> },
  ): void {
    const excess = findExcess(quotas, lists, wanted);
    if (excess === undefined) return;
    this.refused[excess.resource] += 1;
    throw overQuota(excess, this.#deps.holdings.namesOf(owner, excess.resource));
  }

  /** For a user who does not ask. */
  #assertFitsNow(owner: string, wanted: Partial<Usage>, own: UsageByOwner): void {
    const elsewhere = this.#deps.elsewhere()?.last ?? new Map();
    this.#assertFits(this.#quotasOf(owner), owner, { lists: [own, elsewhere], wanted });
  }

  #quotasOf(name: string): readonly Quota[] {
    return this.#deps.quotas().of(name, this.#roleOf(name));
  }

  /** Users who may come by an identity provider count as operators until they do. */
  #roleOf(name: string): Role {
    return this.#deps.roleOf(name) ?? 'operator';
  }

  limitsWorkspacesOf(owner: string | null): boolean {
    return owner !== null && areLimited(this.#quotasOf(owner), { workspaceBytes: 1 });
  }

  /** Called for each piece of an upload, so labs and jobs are left out. */
  assertWithinQuota(owner: string | null, takenBytes: number, moreBytes: number): void {
    if (owner === null || !this.limitsWorkspacesOf(owner)) return;
    const own = withMore(this.#deps.holdings.workspaceBytes(), owner, { workspaceBytes: -takenBytes });
    this.#assertFitsNow(owner, { workspaceBytes: moreBytes }, own);
  }

  assertMayGet(name: string, gift: Gift): void {
    const { holdings } = this.#deps;
    const given = holdings.ofGift(gift);
    if (given === undefined || given.owner === name) return;
    // In a group of both users, it counts once.
    const others = withMore(holdings.byOwner(), given.owner, minus(given.usage));
    this.#assertFitsNow(name, given.usage, others);
  }

  async report({
    name,
    role = this.#roleOf(name),
  }: Pick<QuotaUser, 'name'> & Partial<QuotaUser>): Promise<QuotaReport> {
    const quotas = this.#deps.quotas().of(name, role);
    const { holdings } = this.#deps;
    await holdings.see({ withNodes: true });
    holdings.assertKnown();
    const lists = await this.#everywhere();
    const views = quotas.flatMap((quota) => {
      const used = countedFor(quota, lists);
      const shown = countedResources.filter(
        (resource) => quota.kind === 'user' || quota.limits[resource] !== undefined,
      );
      return shown.map((resource) => ({
        kind: quota.kind,
        name: quota.name,
        resource,
        used: used[resource],
        limit: finite(quota.limits[resource]),
      }));
    });
    return { quotas: views, maxLeaseMs: finite(this.maxLeaseMsOf({ name, role })) };
  }
}

function finite(limit: number | undefined): number | null {
  return limit === undefined || limit === Infinity ? null : limit;
}

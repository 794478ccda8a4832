/**
 * The labs, jobs and workspaces that users have on this machine. It is read from records alone, without waiting: from those of
 * the lab CLIs, and from those of jobs, which have a lab from their acceptance on.
 */
import { isTerminal, type Job } from '../jobs/model/job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { JobSummary } from '../jobs/store/job-summary.ts';
import { specOf, startsLab } from '../labs/model/actions.ts';
import type { Labs } from '../labs/labs.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { realDirectoryOf, type RecordedLab } from '../labs/status/lab-in-directory.ts';
import { AppError } from '../lib/app-error.ts';
import { oncePerTurn } from '../lib/async/once-per-turn.ts';
import type { OwnerService } from '../owners/owner-service.ts';
import type { Gift } from './quota-service.ts';
import { noUsage, plus, type Usage, type UsageByOwner } from './usage.ts';

interface HoldingsDeps {
  readonly labs: Labs;
  readonly owners: OwnerService;
  /** They need not be there before the first question. */
  readonly parts: () => { readonly store: JobStore; readonly workspaces: Workspaces };
}

interface GivenUsage {
  readonly owner: string | null;
  readonly usage: Partial<Usage>;
}

interface HeldLab {
  /** As the lab CLI calls it; of a lab that is not on record yet, the id of its job. */
  readonly id: string;
  readonly directory: string;
  readonly owner: string | null;
  readonly nodes: number;
}

/** A job that starts a lab, or starts one anew; then the lab stays its owner's, if there is one. */
type Start = Pick<Job, 'action' | 'workdir' | 'requestedBy'>;

function isStart({ action, request }: Pick<Job, 'action' | 'request'>): boolean {
  return startsLab(action) && request['dryRun'] !== true;
}

export class Holdings {
  readonly #deps: HoldingsDeps;
  readonly #onRecord: () => ReturnType<Labs['onRecord']>;
  /** By directory: those that have ended, whose labs the lab CLI may not list yet. */
  readonly #ended = new Map<string, Job>();
  /** By directory: how many nodes the topology of its last start has. */
  readonly #planned = new Map<string, number>();

  constructor(deps: HoldingsDeps) {
    this.#deps = deps;
    // One check asks several times, and each answer resolves the path of each lab.
    this.#onRecord = oncePerTurn(() => deps.labs.onRecord());
  }

  /** Call when the records of jobs were read. The result ends it. */
  async open(): Promise<() => void> {
    const { store } = this.#deps.parts();
    // A lab CLI may fail to tell the nodes of a lab.
    for (const { directory } of this.#recorded()) {
      const isLastStart = ({ workdir, action, state }: JobSummary): boolean =>
        workdir === directory && startsLab(action) && state === 'success';
      const [last] = store.select(isLastStart, 1);
      const job = last && (await store.get(last.id).catch(() => undefined));
      if (job) this.#note(job);
    }
    for (const job of store.unfinished()) this.#note(job);
    const note = (job: Job): void => this.#note(job);
    store.on('change', note);
    return () => void store.off('change', note);
  }

  #note(job: Job): void {
    if (!isStart(job)) return;
    if (job.nodeCount !== null) this.#planned.set(job.workdir, job.nodeCount);
    if (isTerminal(job.state) && this.#labsOf(job)?.places.keepsNoRecord) this.#ended.set(job.workdir, job);
    else this.#ended.delete(job.workdir);
  }

  #labsOf({ cli }: Pick<Job, 'cli'>) {
    const { members } = this.#deps.labs;
    return members.find(({ name }) => name === cli) ?? members[0];
  }

  /** To be awaited before a turn in which `byOwner` is to be exact. Never rejects. */
  async see({ withNodes }: { readonly withNodes: boolean }): Promise<void> {
    const { labs } = this.#deps;
    await labs.seeAll(true);
    // Those that fail count by their topologies.
    if (withNodes) await labs.listWithNodes({ fresh: false }).catch(() => undefined);
  }

  byOwner(): UsageByOwner {
    const all = new Map(this.workspaceBytes());
    const add = (owner: string | null, more: Partial<Usage>): void =>
      void all.set(owner, plus(all.get(owner) ?? noUsage, more));
    for (const { owner, nodes } of this.#heldLabs()) add(owner, { labs: 1, nodes });
    for (const { requestedBy } of this.#waitingJobs()) add(requestedBy, { jobs: 1 });
    return all;
  }

  /** The part of `byOwner` that is quick to find. */
  workspaceBytes(): UsageByOwner {
    const bytes = [...this.#deps.parts().workspaces.room.bytesByOwner()];
    return new Map(bytes.map(([owner, workspaceBytes]) => [owner, { ...noUsage, workspaceBytes }]));
  }

  /** The additional usage of the user who asks for a start of so many nodes; null if unknown. */
  ofStart(start: Start, nodes: number | null): Partial<Usage> {
    const { requestedBy: owner, workdir: directory } = start;
    if (this.#restartsOther(start, this.#recorded())) return {};
    const held = this.#heldLabs().find((lab) => lab.owner === owner && lab.directory === directory);
    // A lab that starts anew has the nodes that it had. Otherwise, more than can be counted fit into no limit.
    const unknown = held && specOf(start.action).restartsLab === true ? held.nodes : Infinity;
    return { labs: held ? 0 : 1, nodes: Math.max(0, (nodes ?? unknown) - (held?.nodes ?? 0)) };
  }

  /** A lab, or a workspace, that is given to another user: whose it is, and how much. */
  ofGift(gift: Gift): GivenUsage | undefined {
    if ('directory' in gift) {
      const lab = this.#heldLabs().find(({ directory }) => directory === gift.directory);
      return lab && { owner: lab.owner, usage: { labs: 1, nodes: lab.nodes } };
    }
    const { workspaces } = this.#deps.parts();
    const usage = { workspaceBytes: workspaces.sizes.bytesOf(gift.workspace) };
    return { owner: workspaces.ownerOf(gift.workspace), usage };
  }

  /** Whether a start leaves the lab in its directory with its owner. It does not, once a job takes the lab down first. */
  #restartsOther({ action, workdir }: Start, recorded: readonly RecordedLab[]): boolean {
    if (specOf(action).startsLab === true || !recorded.some(({ directory }) => directory === workdir))
      return false;
    const unfinished = this.#deps.parts().store.unfinished();
    return !unfinished.some((job) => job.workdir === workdir && specOf(job.action).stopsLab === true);
  }

  /** Names for a person: of labs, jobs or workspaces. */
  namesOf(owner: string | null, resource: keyof Usage): readonly string[] {
    const { workspaces } = this.#deps.parts();
    if (resource === 'jobs')
      return this.#waitingJobs().flatMap(({ id, requestedBy }) => (requestedBy === owner ? [id] : []));
    if (resource === 'workspaceBytes')
      return workspaces.sizes.names().filter((name) => workspaces.ownerOf(name) === owner);
    return this.#heldLabs().flatMap((lab) => (lab.owner === owner ? [lab.id] : []));
  }

  /** Jobs that the service itself submits, to take labs away, count for no user. */
  #waitingJobs(): readonly Job[] {
    return this.#deps
      .parts()
      .store.unfinished()
      .filter(({ cleanupOf, leaseOf, replacedBy }) => (cleanupOf ?? leaseOf ?? replacedBy) === null);
  }

  /** One for each directory and owner: while a job replaces the lab of another user, both have one. */
  #heldLabs(): readonly HeldLab[] {
    const { owners } = this.#deps;
    const { store } = this.#deps.parts();
    const listed = this.#listedNodes();
    const held = new Map<string, HeldLab>();
    const add = (id: string, directory: string, owner: string | null): void => {
      const nodes = Math.max(listed.get(directory) ?? 0, this.#planned.get(directory) ?? 0);
      held.set(JSON.stringify([directory, owner]), { id, directory, owner, nodes });
    };
    const recorded = this.#recorded();
    for (const job of [...store.unfinished().filter(isStart), ...this.#unlisted()])
      if (!this.#restartsOther(job, recorded)) add(job.id, job.workdir, this.#ownerOfLabBy(job));
    for (const lab of recorded) add(lab.id, lab.directory, owners.ownerOf(lab));
    const used = new Set([...held.values()].map(({ directory }) => directory));
    for (const directory of this.#planned.keys()) if (!used.has(directory)) this.#planned.delete(directory);
    return [...held.values()];
  }

  /** While a restart runs, the lab stays its owner's, also in the moment when it is on record no more. */
  #ownerOfLabBy({ action, workdir, requestedBy, startedAt }: Job): string | null {
    const isRunning = specOf(action).restartsLab === true && startedAt !== null;
    return isRunning ? this.#deps.owners.ownerOf({ directory: workdir, startedAtMs: null }) : requestedBy;
  }

  #recorded(): readonly RecordedLab[] {
    return this.#onRecord().labs;
  }

  /** @throws AppError `lab-cli-failed` while the labs of a lab CLI are unknown, so that no limit can be kept. */
  assertKnown(): void {
    const { failure } = this.#onRecord();
    if (failure === undefined) return;
    const message = 'the labs of this server cannot be counted for your quota: a list of labs cannot be read';
    throw new AppError('lab-cli-failed', message, { cause: failure, retryAfterSeconds: 10 });
  }

  #unlisted(): readonly Job[] {
    for (const [directory, job] of this.#ended)
      if (this.#labsOf(job)?.status.isLastRecent) this.#ended.delete(directory);
    return [...this.#ended.values()];
  }

  /** By directory, as the labs were listed last. */
  #listedNodes(): ReadonlyMap<string, number> {
    const listed = this.#deps.labs.members.flatMap(({ list }) => list.last?.value ?? []);
    return new Map(listed.map(({ workdir, nodes }) => [realDirectoryOf(workdir), nodes.length] as const));
  }
}

/** One lab as a user may have it: everything that HTTP may ask of it or do to it. `UserLabs.find` is the way to it. */
import type { Share } from '../access/model/groups.ts';
import type { CliLabs } from '../labs/cli-labs.ts';
import type { ListedReport } from '../labs/drivers/reports-driver.ts';
import type { ListedTest } from '../labs/drivers/tests-driver.ts';
import type { LabTopology } from '../labs/drivers/topology.ts';
import type { Fault, FaultTarget, WantedFault } from '../labs/model/fault.ts';
import type { LabNode } from '../labs/nodes/lab-node.ts';
import type { LabNodes, NodeConfiguration } from '../labs/nodes/lab-nodes.ts';
import type { Traffic } from '../labs/nodes/lab-traffic.ts';
import type { LabLayout } from '../labs/picture/lab-layouts.ts';
import type { Aged, ListedLab } from '../labs/status/lab-list.ts';
import type { Report } from '../labs/topologies/lab-reports.ts';
import type { KnownLab, StatusDocument, StatusFormat } from '../labs/status/lab-status.ts';
import type { LeaseView, WantedEnd } from '../leases/lease-service.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { AppError } from '../lib/app-error.ts';
import type { StartedLab } from '../owners/owner-service.ts';
import type { Snapshot as KeptSnapshot } from '../labs/snapshots/snapshot.ts';
import { assertGroups } from './assert-groups.ts';
import { snapshotSource } from './lab-snapshot.ts';
import type { Machine } from './machine.ts';
import type { UserAccess } from './user-access.ts';

interface Freshness {
  readonly fresh: boolean;
}

interface LabDeps {
  readonly id: string;
  /** The lab CLI that has it. */
  readonly labs: CliLabs;
  /** Its entry in the status, where the look-up has read it. */
  readonly known: KnownLab | undefined;
  /** Undefined for a user who may do everything. */
  readonly access: UserAccess | undefined;
  readonly machine: Pick<
    Machine,
    'leases' | 'faults' | 'owners' | 'groups' | 'jobs' | 'workspaces' | 'snapshots'
  >;
}

export class Lab {
  readonly id: string;
  readonly #deps: LabDeps;

  constructor(deps: LabDeps) {
    this.id = deps.id;
    this.#deps = deps;
  }

  /** The name of the lab CLI that has it. */
  get cli(): string {
    return this.#deps.labs.name;
  }

  /** @throws AppError `forbidden`; `unauthorized` when the login has ended meanwhile. */
  assertMayChange(): void {
    const { access, known } = this.#deps;
    if (access && known) access.assertMayChange(access.labResource(known), `the lab "${this.id}"`);
  }

  /** The document of the lab CLI about it. */
  async status(format: StatusFormat, how: Freshness): Promise<StatusDocument> {
    return this.#deps.labs.status.instance(this.id, format, how);
  }

  /** The lab with its nodes, as a list of labs has it. */
  async listed(how: Freshness): Promise<Aged<ListedLab>> {
    return this.#deps.labs.list.one(this.id, how);
  }

  /** Resolves when the nodes of the lab that `listed` has given were checked once, or after `ms`. */
  async checked(lab: ListedLab, ms: number): Promise<void> {
    await settledWithin(this.#deps.labs.ready.seen(lab), ms);
  }

  /** Resolves when no node is late to be ready, the lab is gone, `ms` are over, or `signal` is aborted. */
  async settled(ms: number, signal: AbortSignal): Promise<void> {
    await this.#deps.labs.ready.settled(this.id, { ms, signal });
  }

  async topology(): Promise<LabTopology> {
    return (await this.#deps.labs.topologies.of(this.id)).topology;
  }

  /** The counters of the interfaces at its links. */
  async traffic(): Promise<Traffic> {
    return this.#deps.labs.traffic.of(this.id);
  }

  /** An SVG file. */
  async picture(options: { readonly withState: boolean }): Promise<string> {
    return this.#deps.labs.pictures.svg(this.id, { ...options, faults: this.faults });
  }

  /** The tests that `validate` would run now. */
  async tests(): Promise<readonly ListedTest[]> {
    return this.#deps.labs.tests.of(this.id);
  }

  /** The reports that the lab CLI can make of it. */
  async reports(signal: AbortSignal): Promise<readonly ListedReport[]> {
    return this.#deps.labs.reports.list(this.id, signal);
  }

  async report(name: string, signal: AbortSignal): Promise<Report> {
    return this.#deps.labs.reports.make(this.id, name, signal);
  }

  /** A layout is kept by directory: the lab that lives there now decides. */
  async layout(): Promise<LabLayout> {
    const { access, labs } = this.#deps;
    const directory = await labs.topologies.directoryOf(this.id);
    if (access?.isNarrowed && !access.mayRead(access.labIn(directory) ?? access.place(directory)))
      throw new AppError('forbidden', 'the layout is that of a lab that you may not see');
    return labs.layouts.get(directory);
  }

  /** Replaces the layout, unless `check` throws for the current one. @throws AppError `forbidden`, `storage-fault`. */
  async replaceLayout(layout: LabLayout, check: (now: LabLayout) => void): Promise<void> {
    const { access, labs } = this.#deps;
    const directory = await labs.topologies.directoryOf(this.id);
    const assertMayChange = (): void =>
      access?.assertMayChange(access.labIn(directory) ?? access.place(directory), `the lab in ${directory}`);
    assertMayChange();
    await labs.layouts.put(
      directory,
      layout,
      (now) => {
        // In the turn of the change: another user may have started a lab there meanwhile.
        assertMayChange();
        check(now);
      },
      // The topology may lie outside the directory of the lab, where this user may change nothing.
      access && ((file) => access.mayWorkIn(file)),
    );
  }

  node(node: string): LabNode {
    return this.nodes.one(node);
  }

  /** The running configuration of a node. @throws AppError as `LabNode.configuration`. */
  async configurationOf(node: string, signal: AbortSignal): Promise<Buffer> {
    // Its programs would be waited for until the time is up.
    if (this.#pausedNodes.has(node))
      throw new AppError('lab-not-up', `${node} is paused by a fault: heal it first`);
    return this.node(node).configuration(signal);
  }

  get nodes(): LabNodes {
    return this.#deps.labs.nodes(this.id, () => this.assertMayChange());
  }

  /** Keeps its files and the configurations of its nodes under a name. @throws AppError as `snapshotSource` and `Snapshots.make`. */
  async keep(name: string, owner: string | null, signal: AbortSignal): Promise<KeptSnapshot> {
    const { labs, machine, access } = this.#deps;
    const assertMayChange = (): void => this.assertMayChange();
    const configurations = async () => this.configurations(signal);
    const parts = { id: this.id, labs, machine, access, assertMayChange, configurations };
    const source = await snapshotSource(parts, { owner, signal });
    return machine.snapshots.make(name, source);
  }

  /** The running configurations of all nodes. @throws AppError as `LabNodes.configurations`. */
  async configurations(signal: AbortSignal): Promise<readonly NodeConfiguration[]> {
    return this.nodes.configurations({ paused: this.#pausedNodes, signal });
  }

  /** A real path. @throws AppError as `LabTopologies.directoryOf`. */
  async directory(): Promise<string> {
    return this.#deps.labs.topologies.directoryOf(this.id);
  }

  get #pausedNodes(): ReadonlySet<string> {
    return new Set(
      this.faults.flatMap(({ kind, node }) => (kind === 'paused' && node !== null ? [node] : [])),
    );
  }

  /** The links and nodes that are broken on purpose. */
  get faults(): readonly Fault[] {
    return this.#deps.machine.faults.of(this);
  }

  /** @throws AppError as `FaultService.set`. */
  async setFault(wanted: WantedFault, user: string | null): Promise<Fault> {
    const check = (): void => this.assertMayChange();
    return this.#deps.machine.faults.set(this, wanted, { user, check });
  }

  /** Heals a link or a node; without `target`, everything. @throws AppError as `FaultService.heal`. */
  async healFaults(target: FaultTarget | undefined, user: string | null): Promise<void> {
    const check = (): void => this.assertMayChange();
    await this.#deps.machine.faults.heal(this, target, { user, check });
  }

  /** Gives the lab another end. @throws AppError as `LeaseService.change`. */
  async changeLease(end: WantedEnd): Promise<LeaseView> {
    const { machine, access } = this.#deps;
    return machine.leases.change(this.id, end, { cli: this.cli, quotaMs: access?.maxLeaseMs });
  }

  /** Gives the lab to another user. For a lab that was looked up for that. @throws AppError as `OwnerService.give`. */
  async give(owner: string | null): Promise<void> {
    await this.#deps.machine.owners.give(this.#started, owner, () => {
      this.#assertMayGive();
      this.#deps.access?.assertMayGet(owner, this.#started);
    });
  }

  /** Replaces the shares of the lab. See `give`. @throws AppError `group-not-found`. */
  async share(shares: readonly Share[]): Promise<void> {
    const { machine } = this.#deps;
    // First, so that others do not learn which groups there are.
    this.#assertMayGive();
    assertGroups(shares, machine.groups());
    await machine.owners.share(this.#started, shares, this.#assertMayGive);
  }

  get #started(): StartedLab {
    const { known, labs } = this.#deps;
    if (known === undefined)
      throw new Error(`the lab "${this.id}" was not looked up to be given to another user`);
    return { directory: known.directory ?? null, startedAtMs: labs.status.startOf(known)?.atMs ?? null };
  }

  readonly #assertMayGive = (): void => {
    const { access, machine } = this.#deps;
    const lab = this.#started;
    const owner = machine.owners.ownerOf(lab);
    const { workspaceOwner } = access?.place(lab.directory ?? '') ?? { workspaceOwner: null };
    access?.assertMayGive({ owner, workspaceOwner }, `the lab in ${lab.directory ?? 'no directory'}`);
  };
}

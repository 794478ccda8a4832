/** A lab that runs, as a snapshot keeps it. */
import path from 'node:path';
import { isTerminal, jobStates } from '../jobs/model/job.ts';
import type { CliLabs } from '../labs/cli-labs.ts';
import { actions, belongsTo, specOf } from '../labs/model/actions.ts';
import { cliOptions, optionNames, type OptionName } from '../labs/model/option-kinds.ts';
import type { NodeConfiguration } from '../labs/nodes/lab-nodes.ts';
import type { SnapshotSource } from '../labs/snapshots/snapshots.ts';
import { topologyName } from '../labs/snapshots/snapshot.ts';
import { AppError, fieldError } from '../lib/app-error.ts';
import { expandHome } from '../lib/files/home.ts';
import { OpenDirectory } from '../lib/files/open-directory.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { readPlainFile } from '../lib/files/plain-file.ts';
import { realPathOf } from '../lib/files/real-path.ts';
import type { Machine } from './machine.ts';
import type { UserAccess } from './user-access.ts';

/** The actions that make a new lab. */
const startActions = actions.filter((action) => specOf(action).startsLab === true);
/** Those that may change a lab or its files. */
const changingActions = actions.filter((action) => specOf(action).locksWorkdir);
const activeStates = jobStates.filter((state) => !isTerminal(state));

/** Dry runs in a row that may have come since. */
const mostStarts = 20;

/** They are about one run, and not about the lab. */
const notKept: ReadonlySet<OptionName> = new Set(['dryRun', 'snapshot', 'reloadConfig', 'reconfigure']);

interface LabParts {
  readonly id: string;
  readonly labs: CliLabs;
  readonly machine: Pick<Machine, 'jobs' | 'workspaces'>;
  /** Undefined for a user who may do everything. */
  readonly access: UserAccess | undefined;
  readonly assertMayChange: () => void;
  readonly configurations: () => Promise<readonly NodeConfiguration[]>;
}

interface Asked {
  readonly owner: string | null;
  readonly signal: AbortSignal;
}

type Start = Pick<SnapshotSource, 'start' | 'topology'>;

/** The request that started the lab; of a lab that no job has started, only that it is to be started. */
async function startOf(lab: LabParts, workdir: string, top: string): Promise<Start> {
  const { id, labs, machine } = lab;
  const none: Start = { start: { action: startActions[0], cli: labs.name }, topology: undefined };
  const filter = { workdir, instance: id, actions: startActions, states: ['success' as const] };
  for (const { id: job } of machine.jobs.summaries(filter, mostStarts)) {
    const view = await machine.jobs.get(job).catch(() => undefined);
    if (view === undefined || view.request['dryRun'] === true) continue;
    const { request } = view;
    const names = optionNames.filter((name) => belongsTo(name, view.action) && !notKept.has(name));
    const given = names.filter((name) => request[name] !== undefined);
    const options: Record<string, unknown> = {};
    for (const name of given) options[name] = withinTop(name, request[name], { workdir, top });
    const start = { ...none.start, ...options };
    if (request['topologyUrl'] !== undefined || request['topology'] !== undefined)
      return { start: { ...start, topologyPath: topologyName }, topology: await machine.jobs.topology(job) };
    return { ...none, ...(await withTopologyPath(start, request['topologyPath'], { ...lab, workdir, top })) };
  }
  return none;
}

/** A path in what is kept leads to the same file of another workspace, later. */
function withinTop(
  name: OptionName,
  value: unknown,
  { workdir, top }: { readonly workdir: string; readonly top: string },
): unknown {
  const isPath = ['file', 'directory', 'template', 'file-below-workdir'].includes(cliOptions[name].kind);
  if (!isPath || typeof value !== 'string' || !path.isAbsolute(value)) return value;
  const real = realPathOf(value);
  return isInside(top, real) ? path.relative(workdir, real) : value;
}

interface TopologyPlace extends Pick<LabParts, 'labs' | 'access'> {
  readonly workdir: string;
  readonly top: string;
}

/** A topology outside what is kept comes into the snapshot as if it had come with the request. */
async function withTopologyPath(
  start: Readonly<Record<string, unknown>>,
  given: unknown,
  { labs, access, workdir, top }: TopologyPlace,
): Promise<Start> {
  if (typeof given !== 'string') return { start, topology: undefined };
  const file = path.resolve(workdir, expandHome(given));
  const isOwn = path.basename(file) === topologyName && path.dirname(file) === workdir;
  const real = realPathOf(file);
  const isInTop = isInside(top, real);
  if (isInTop && !isOwn)
    return { start: { ...start, topologyPath: path.relative(workdir, file) }, topology: undefined };
  labs.roots.check(real, 'topologyPath');
  // A job may have put a link in its place since, to a file that neither its user nor the user of jobs may read.
  if (!isInTop && (labs.runAs !== undefined || access?.mayUse(real) === false))
    throw fieldError(
      'forbidden-path',
      'topologyPath',
      `the topology of the lab, ${file}, leads out of what you may read: put it into the directory of the lab, and start the lab again`,
    );
  const reading = await readPlainFile(real);
  if (reading.kind !== 'found')
    throw new AppError('topology-not-found', `the topology of the lab, ${file}, cannot be read`, {
      cause: reading.error,
    });
  return { start: { ...start, topologyPath: topologyName }, topology: reading.text };
}

/** @throws AppError `forbidden` for a user with whom the lab is shared, and not its files. */
function assertMayReadFiles({ access }: LabParts, workdir: string, workspace: string | null): void {
  if (access === undefined) return;
  const resource = workspace === null ? undefined : access.workspace(workspace);
  const mayRead = resource === undefined ? access.mayUse(workdir) : access.mayRead(resource);
  if (!mayRead)
    throw new AppError(
      'forbidden',
      'a snapshot keeps the files of the lab, which you may not read: its owner can make it',
    );
}

/** netlab reads the configurations that it takes back as templates of Jinja, and would put other text into the node. */
function withoutTemplate(read: NodeConfiguration): NodeConfiguration {
  if (read.bytes === undefined || !/\{[{%#]/.test(read.bytes.toString('latin1'))) return read;
  const reason = 'netlab would take "{{", "{%" or "{#" in the configuration for a template';
  return { node: read.node, bytes: undefined, failure: { isNone: false, reason } };
}

/** @throws AppError `conflict` while a job is in the directory of the lab; `not-supported`; what the look-up of the lab throws. */
export async function snapshotSource(lab: LabParts, { owner, signal }: Asked): Promise<SnapshotSource> {
  const { id, labs, machine } = lab;
  const { jobs, workspaces } = machine;
  lab.assertMayChange();
  const workdir = await labs.topologies.directoryOf(id);
  labs.roots.checkDirectory(workdir, 'id');
  const workspace = workspaces.nameOf(workdir);
  assertMayReadFiles(lab, workdir, workspace);
  // The service would read, with its own rights, what the user of jobs may have put there.
  if (workspace === null && labs.runAs !== undefined)
    throw new AppError(
      'not-supported',
      'labs run as another user here (LAB_API_JOB_USER): a snapshot keeps those in workspaces alone; start the lab in one',
    );
  const top = workspace === null ? workdir : workspaces.directoryOf(workspace);
  const newest = (): string | undefined => jobs.summaries({ workdir, actions: changingActions }, 1)[0]?.id;
  const first = newest();
  const assertSame = (): void => {
    lab.assertMayChange();
    const [active] = jobs.summaries({ workdir, actions: changingActions, states: activeStates }, 1);
    const other = active?.id ?? newest();
    if (active === undefined && other === first) return;
    throw new AppError('conflict', `the job ${other} is at work on the lab "${id}", or was meanwhile`, {
      extra: { conflictingJobId: other },
      retryAfterSeconds: 10,
    });
  };
  assertSame();
  return {
    lab: id,
    cli: labs.name,
    workdir,
    workspace,
    owner,
    directory: path.relative(top, workdir),
    openTop: async () => (workspace === null ? OpenDirectory.openReal(top) : workspaces.openTop(workspace)),
    ...(await startOf(lab, workdir, top)),
    configurations: async () => {
      const read = await lab.configurations();
      return labs.describe().driver.nodes.afterReload === undefined ? read : read.map(withoutTemplate);
    },
    assertSame,
    signal,
  };
}

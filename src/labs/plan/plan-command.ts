import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AppError, invalidField } from '../../lib/app-error.ts';
import { actions, belongsTo, readsTopology, specOf, startsLab, type Action } from '../model/actions.ts';
import { driverOfSetting, driversWith, takesOption } from '../drivers/drivers.ts';
import type { Environment, LabCli, LabDriver } from '../drivers/lab-driver.ts';
import type { LabEntry } from '../drivers/status-driver.ts';
import { topologyYaml } from '../drivers/topology-yaml.ts';
import { isMapping } from '../../lib/mapping.ts';
import { understand } from '../system/foreign-file.ts';
import { optionNames, type OptionName } from '../model/option-kinds.ts';
import { brokenRule, idHolders } from '../model/option-rules.ts';
import type { FindStart } from '../model/command-record.ts';
import type { CliOptionValues } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import { withPaths } from './plan-paths.ts';
import { planInstance, textOf } from './plan-instance.ts';
import { givenTopologyFields, planTopology } from '../topologies/plan-topology.ts';
import type { TopologyFields } from '../topologies/plan-topology.ts';
import type { RunResult } from '../system/run.ts';
import { findPlace, namesDirectory, type PlaceContext, type PlaceRequest } from './working-directory.ts';

/** The request of a client, with checked types. */
export interface LabRequest extends TopologyFields, PlaceRequest {
  readonly scenario?: Scenario | undefined;
  /** The lab in the directory is taken down before. */
  readonly replace?: boolean | undefined;
  readonly options: CliOptionValues;
}

/** A request that a service has taken. */
export interface TimedRequest extends LabRequest {
  /** When, by `performance.now()`: reports that began later are new enough for it. */
  readonly sinceMs?: number;
}

export interface PlanContext extends Omit<PlaceContext, 'stopsWithoutDirectory'> {
  readonly cli: LabCli;
  /** The multilab id of an `up` that has none. */
  readonly multilabId?: 'auto' | undefined;
  readonly topologyHosts: readonly string[];
  /** Finds a start that may have left something which the status does not list. Absent: no job is on record. */
  readonly findStart?: FindStart | undefined;
  /** The status of an instance; undefined if it is not listed. @throws as the status. */
  readonly entryOf: (instance: string) => Promise<LabEntry | undefined>;
  readonly env: Environment;
  /** The names of the other lab CLIs of the service. Absent: it is alone. */
  readonly others?: readonly string[];
  /** Runs the lab CLI to its end in a directory, to look at something; does not throw for a failure of the CLI. */
  readonly runIn: (directory: string, args: readonly string[]) => Promise<RunResult>;
}

/** A run of the lab CLI, decided before it is accepted. */
export interface LabCommandPlan {
  /** Real path. */
  readonly workdir: string;
  /** The workspace that it is, or is in; null for any other directory. */
  readonly workspace: string | null;
  /** The argument list, program first, when `topologyText` is kept in the given file (absolute). */
  readonly command: (savedTopologyPath: string, freeId?: number) => readonly string[];
  /** Whether the lab needs a free multilab id, which `command` gets and which becomes the instance. */
  readonly takesFreeId: boolean;
  /** An inline or downloaded topology, to be saved before the command runs; undefined when the lab CLI reads a file. */
  readonly topologyText: string | undefined;
  /** The lab instance of the job; null if unknown. */
  readonly instance: string | null;
  readonly warnings: readonly string[];
  /** How many nodes the lab has that it starts; null if unknown. Absent: it starts none. Never rejects. */
  readonly countNodes?: () => Promise<number | null>;
}

/** The actions that take an option with this lab CLI; of one that it does not know, with those that do. */
function ownersOf(name: OptionName, driver: LabDriver): string {
  const owners = actions.filter((action) => belongsTo(name, action));
  const isOwn = (action: Action): boolean =>
    takesOption(driver, name, action) && driver.unsupported?.[action] === undefined;
  const own = owners.filter(isOwn);
  const listed = (own.length > 0 ? own : owners).map((action) => `"${action}"`).join(', ');
  const others = own.length > 0 ? [] : owners.flatMap((action) => driversWith(name, action));
  const names = [...new Set(others)].map((other) => `"${other.name}"`);
  return names.length === 0 ? listed : `${listed} of ${names.join(' and ')}`;
}

/**
 * Only the options that mean something for the action, and a warning for each of the others.
 * @throws AppError `invalid-request` about one that the action has with other lab CLIs only: without it, this one would do
 * something else than was asked for.
 */
function splitOptions(
  action: Action,
  given: CliOptionValues,
  { cli: { driver }, others = [] }: Pick<PlanContext, 'cli' | 'others'>,
): { options: CliOptionValues; warnings: string[] } {
  const present = optionNames.filter((name) => given[name] !== undefined);
  const kept = present.filter((name) => belongsTo(name, action));
  const strange = kept.find((name) => !takesOption(driver, name, action));
  if (strange !== undefined) {
    const owners = driversWith(strange, action).map(({ name }) => name);
    const isForOther = owners.some((name) => others.includes(name));
    const runs = isForOther
      ? `this job is for "${driver.name}" ("cli")`
      : `this server runs "${driver.name}" (LAB_API_CLI)`;
    const whose = owners.map((name) => `"${name}"`).join(' and ');
    throw invalidField(strange, `belongs to "${action}" of ${whose}, and ${runs}`);
  }
  const foreign = present.filter((name) => !belongsTo(name, action));
  return {
    options: Object.fromEntries(kept.map((name) => [name, given[name]])),
    warnings: foreign.map((name) => {
      return `option "${name}" is ignored: it belongs to ${ownersOf(name, driver)}`;
    }),
  };
}

/** @throws AppError `not-supported` when the lab CLI has nothing to do for the action. */
function assertSupported(action: Action, { name, driver }: LabCli): void {
  const why = driver.unsupported?.[action];
  if (why === undefined) return;
  throw new AppError(
    'not-supported',
    `${driver.isBundled ? 'the bundled engine' : name} has no "${action}": ${why}`,
  );
}

/** The instance of the job, or that its lab takes a free id. */
async function chooseInstance(
  action: Action,
  question: Parameters<typeof planInstance>[0],
  context: Parameters<typeof planInstance>[1] & Pick<PlanContext, 'cli' | 'multilabId' | 'runIn'>,
): Promise<Pick<LabCommandPlan, 'instance' | 'takesFreeId'>> {
  const { options, topology, directory } = question;
  const freeId = { instance: null, takesFreeId: true };
  if (options.multilabId === 'auto') return freeId;
  if (options.snapshot === true && directory !== undefined) {
    const run = async (args: readonly string[]): Promise<RunResult> => context.runIn(directory, args);
    const kept = await context.cli.driver.topology.keptInstance?.(directory, run);
    if (kept !== undefined) return { instance: kept, takesFreeId: false };
  }
  const instance = await planInstance(question, context);
  const mayHaveId = topology !== undefined && idHolders.includes(action);
  const isUnnumbered =
    mayHaveId && takesOption(context.cli.driver, 'multilabId', action) && instance === 'default';
  return isUnnumbered && context.multilabId === 'auto' ? freeId : { instance, takesFreeId: false };
}

/** A link in its place must not have the lab CLI read what the roots keep from it. */
async function checkSnapshot(file: string, { roots }: Pick<PlanContext, 'roots'>): Promise<void> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined) roots.check(real, 'snapshot');
}

/** The arguments about an existing lab for a lab CLI without a list of labs; none if the status is unknown. */
async function findLabFile(
  instance: string | null,
  workdir: string,
  isThere: boolean,
  { cli, entryOf, findStart }: Pick<PlanContext, 'cli' | 'entryOf' | 'findStart'>,
): Promise<{ readonly labFile: string | undefined; readonly isListed: boolean }> {
  const { fileOf } = cli.driver.topologies;
  if (fileOf === undefined || instance === null || !isThere) return { labFile: undefined, isListed: false };
  const entry = await entryOf(instance).catch(() => undefined);
  const startedBy = (await findStart?.({ workdir }))?.command;
  return { labFile: await fileOf({ instance, workdir, entry, startedBy }), isListed: entry !== undefined };
}

/** The nodes that a topology names: a lab CLI may add some, as plugins of netlab do. Null for a text that cannot be read. */
async function countNodes(text: string | undefined, { topologies }: LabDriver): Promise<number | null> {
  if (text === undefined) return null;
  const document = await understand(topologyYaml, Buffer.from(text)).catch(() => undefined);
  return isMapping(document) ? topologies.summarize(document).nodes : null;
}

/** The nodes of the lab that is started from its snapshot; null if that cannot be read. */
async function countKeptNodes(
  { workdir, run, instance }: Parameters<NonNullable<LabDriver['checkLab']>>[0],
  { topology }: LabDriver,
): Promise<number | null> {
  const nodes = topology.read(workdir, run, instance ?? '').then((lab) => lab.nodes.length);
  return nodes.catch(() => null);
}

/** The words before a command that give it variables, so that the record of the job shows all that it does. */
function withVariables(variables: Readonly<Record<string, string>>): readonly string[] {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? [] : ['/usr/bin/env', ...given];
}

function topologyWarnings(request: LabRequest): string[] {
  const given = givenTopologyFields(request);
  if (!specOf(request.action).needsTopology) {
    return given.map((field) => `${field} is ignored: "${request.action}" needs no topology`);
  }
  if (!readsTopology(request.action, request.options)) {
    return given.map((field) => `${field} is ignored: "snapshot" starts the lab from its snapshot`);
  }
  return given.slice(1).map((field) => `${field} is ignored: ${given[0]} comes first`);
}

/**
 * Where a job will run and with which arguments. Everything that can be known to be wrong is found here, so that
 * nothing is queued for a bad request: throws `invalid-request`, `workdir-not-found`, `topology-not-found`,
 * `instance-not-found`, `forbidden-path`, `forbidden-host`, `not-supported` or `topology-download-failed`. Writes nothing.
 */
export async function planCommand(asked: LabRequest, context: PlanContext): Promise<LabCommandPlan> {
  const { file: program, driver } = context.cli;
  const { action, replace } = asked;
  assertSupported(action, context.cli);
  const { options: given, warnings } = splitOptions(action, asked.options, context);
  const broken = brokenRule(action, given);
  if (broken !== undefined) throw invalidField(broken.field, broken.message);
  const request = { ...asked, options: given };
  const place = await findPlace(request, {
    ...context,
    stopsWithoutDirectory: driver.stopsWithoutDirectory === true,
  });
  const { workdir, goneLab } = place;
  // There is nothing to tidy up in a directory that is gone, and its lab is found by its instance alone.
  const meant = goneLab === undefined ? given : { ...given, instance: goneLab, cleanup: undefined };
  await driver.checkOptions(meant, workdir);
  if (meant.snapshot === true)
    await checkSnapshot(path.join(workdir, driver.topology.snapshotName('')), context);
  const options = await withPaths(meant, { workdir, roots: context.roots });
  const otherDrivers = context.others?.map(driverOfSetting) ?? [];
  const topologyContext = { ...context, workdir, topologies: driver.topologies, otherDrivers };
  const topology = readsTopology(action, options) ? await planTopology(request, topologyContext) : undefined;
  // A lab CLI calls a nameless lab after the directory of its topology file. For a text that we save, that is the
  // directory of the job: every run would make another lab, and two labs of one day the same one (`job170000000`), whose
  // containers clash. The lab is called after its working directory instead, as if the file were there.
  const isNameless = topology !== undefined && !topology.isNamed;
  if (isNameless && driver.topologies.labNameFrom === undefined)
    throw invalidField(givenTopologyFields(request)[0] ?? 'topology', 'must give the lab a "name"');
  const labName = isNameless ? await driver.topologies.labNameFrom?.(workdir) : undefined;
  // Without a directory and an instance, a status is about every lab.
  const isAboutDirectory = specOf(action).locksWorkdir || namesDirectory(request);
  const directory = isAboutDirectory ? workdir : undefined;
  const question = { options, topology, directory };
  const { instance, takesFreeId } = await chooseInstance(action, question, { ...context, driver });
  const { labFile, isListed } = await findLabFile(instance, workdir, topology === undefined, context);
  // A workspace that is made for the job is not there yet, and no program starts where nothing is.
  const existing = existsSync(workdir) ? workdir : context.serverDirectory;
  const run = async (args: readonly string[]): Promise<RunResult> => context.runIn(existing, args);
  const { env, others = [] } = context;
  const topologyText = specOf(action).startsLab && topology ? await textOf(topology) : undefined;
  const asks = { action, workdir, instance, options, topologyText, others, replace, env, run };
  const count = async () => (topology ? countNodes(topologyText, driver) : countKeptNodes(asks, driver));
  const variables = (await driver.checkLab?.(asks)) ?? {};
  return {
    workdir,
    workspace: context.workspaces.nameOf(workdir),
    command: (savedTopologyPath, freeId) => {
      const lab = { action, labName, instance, labFile, isListed };
      const topologyFile = topology && (topology.file ?? savedTopologyPath);
      const numbered = takesFreeId ? { ...options, multilabId: freeId } : options;
      const words = driver.commandArguments({ ...lab, options: numbered, topologyFile });
      return [...withVariables(variables), driver.programs?.[action] ?? program, ...words];
    },
    takesFreeId,
    topologyText: topology?.text,
    instance,
    warnings: [...warnings, ...place.warnings, ...topologyWarnings(request)],
    ...(startsLab(action) && { countNodes: count }),
  };
}

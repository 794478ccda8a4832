import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, invalidField } from '../lib/app-error.ts';
import { expandHome } from '../lib/home.ts';
import type { Action } from './actions.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import {
  checkCollectOutput,
  checkCollectSuffix,
  checkCollectTar,
  checkCreateOutputs,
} from './contained-path.ts';
import { belongsTo, buildArguments, cliOptions, optionNames } from './options.ts';
import type { CliOptionValues } from './options.ts';
import { givenTopologyFields, labNameFrom, planTopology } from './topologies/plan-topology.ts';
import type { PlannedTopology, TopologyFields } from './topologies/plan-topology.ts';

/** What a client asks for, its types checked already. */
export interface LabRequest extends TopologyFields {
  readonly action: Action;
  readonly workdir?: string | undefined;
  readonly workspaceRoot?: string | undefined;
  readonly options: CliOptionValues;
}

export interface PlanContext {
  readonly roots: AllowedRoots;
  readonly topologyHosts: readonly string[];
  /** The directory of a lab instance; undefined when there is no such instance. */
  readonly directoryOf: (instance: string) => Promise<string | undefined>;
  readonly serverDirectory: string;
}

/** What a job will do, decided before it is accepted. */
export interface JobPlan {
  /** Real path. */
  readonly workdir: string;
  /** The lab CLI's arguments, program excluded, when `topologyText` is kept in the given file (absolute). */
  readonly args: (savedTopologyPath: string) => readonly string[];
  /** An inline or downloaded topology, to be saved before the job runs; undefined when the lab CLI reads a file. */
  readonly topologyText: string | undefined;
  readonly instance: string | null;
  readonly warnings: readonly string[];
}

interface Place {
  readonly workdir: string;
  readonly warnings: readonly string[];
}

const actionsWithTopology: readonly Action[] = ['up', 'create'];

function givenWorkdir({ workdir, workspaceRoot }: LabRequest): { field: string; value: string } | undefined {
  // Empty counts as absent, as in netlab api.
  if (workdir) return { field: 'workdir', value: workdir };
  return workspaceRoot ? { field: 'workspaceRoot', value: workspaceRoot } : undefined;
}

/** What a client calls a directory, as jobs have it on record: the real path, as long as there is such a directory. */
export async function directoryNamed(given: string, serverDirectory: string): Promise<string> {
  const directory = path.resolve(serverDirectory, expandHome(given));
  return realpath(directory).catch(() => directory);
}

/** `workdir`, else `workspaceRoot`, else the server's directory, as a real path inside the roots. */
async function resolveWorkdir(request: LabRequest, context: PlanContext): Promise<string> {
  const { field, value } = givenWorkdir(request) ?? { field: 'workdir', value: context.serverDirectory };
  if (value.includes('\0')) throw invalidField(field, 'must not contain a NUL byte');
  return usableDirectory(path.resolve(context.serverDirectory, expandHome(value)), field, context.roots);
}

async function usableDirectory(directory: string, field: string, roots: AllowedRoots): Promise<string> {
  const real = await realpath(directory).catch(() => undefined);
  // Before anything is said about it: what there is outside the roots is nobody's business.
  roots.check(real ?? directory, field);
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || found === undefined) {
    throw new AppError('workdir-not-found', `${field}: there is no directory ${directory}; create it first`);
  }
  if (!found.isDirectory())
    throw new AppError('workdir-not-found', `${field}: ${directory} is not a directory`);
  return real;
}

/** A broken status must not keep anybody from stopping a lab in a directory that they name. */
async function askForDirectory(
  instance: string,
  request: LabRequest,
  context: PlanContext,
): Promise<string | undefined> {
  try {
    return await context.directoryOf(instance);
  } catch (error) {
    const isCliFault = error instanceof AppError && error.code.startsWith('lab-cli-');
    if (isCliFault && givenWorkdir(request) !== undefined) return undefined;
    throw error;
  }
}

/** The directory of the lab instance, so that the lock on the directory is the right one. */
async function placeOfInstance(instance: string, request: LabRequest, context: PlanContext): Promise<Place> {
  const directory = await askForDirectory(instance, request, context);
  const given = givenWorkdir(request);
  if (directory === undefined) {
    if (given === undefined && request.action === 'collect') {
      throw new AppError(
        'instance-not-found',
        `instance: there is no lab instance "${instance}"; GET /status lists them`,
      );
    }
    const workdir = await resolveWorkdir(request, context);
    return {
      workdir,
      warnings: [`the directory of instance "${instance}" is not known: running in ${workdir}`],
    };
  }
  const workdir = await usableDirectory(directory, 'instance', context.roots);
  if (given === undefined) return { workdir, warnings: [] };
  if ((await directoryNamed(given.value, context.serverDirectory)) === workdir)
    return { workdir, warnings: [] };
  return { workdir, warnings: [`${given.field} is ignored: instance "${instance}" lives in ${workdir}`] };
}

async function findPlace(request: LabRequest, context: PlanContext): Promise<Place> {
  const { action, options } = request;
  if (options.instance !== undefined && (action === 'down' || action === 'collect')) {
    return placeOfInstance(options.instance, request, context);
  }
  return { workdir: await resolveWorkdir(request, context), warnings: [] };
}

/** Only the options that mean something for the action, and a warning for each of the others. */
function splitOptions(
  action: Action,
  given: CliOptionValues,
): { options: CliOptionValues; warnings: string[] } {
  const present = optionNames.filter((name) => given[name] !== undefined);
  const kept = present.filter((name) => belongsTo(name, action));
  const foreign = present.filter((name) => !belongsTo(name, action));
  return {
    options: Object.fromEntries(kept.map((name) => [name, given[name]])),
    warnings: foreign.map((name) => {
      const owners = cliOptions[name].actions.map((owner) => `"${owner}"`).join(', ');
      return `option "${name}" is ignored: it belongs to ${owners}`;
    }),
  };
}

/** netlab looks a relative directory up somewhere else than the shell would, so it gets an absolute one. */
async function absoluteReloadConfig(value: string, workdir: string, roots: AllowedRoots): Promise<string> {
  const directory = path.resolve(workdir, expandHome(value));
  const real = await realpath(directory).catch(() => undefined);
  roots.check(real ?? directory, 'reloadConfig');
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (!found?.isDirectory()) throw invalidField('reloadConfig', `there is no directory ${directory}`);
  return directory;
}

/** The options with their paths checked against the working directory. */
async function checkPaths(
  options: CliOptionValues,
  workdir: string,
  roots: AllowedRoots,
): Promise<CliOptionValues> {
  if (options.collectOutput !== undefined) await checkCollectOutput(workdir, options.collectOutput);
  if (options.collectTar !== undefined) await checkCollectTar(workdir, options.collectTar);
  if (options.collectSuffix !== undefined) checkCollectSuffix(options.collectSuffix);
  if (options.output !== undefined) await checkCreateOutputs(workdir, options.output);
  if (options.reloadConfig === undefined) return options;
  return { ...options, reloadConfig: await absoluteReloadConfig(options.reloadConfig, workdir, roots) };
}

function topologyWarnings(request: LabRequest): string[] {
  const given = givenTopologyFields(request);
  if (!actionsWithTopology.includes(request.action)) {
    return given.map((field) => `${field} is ignored: "${request.action}" needs no topology`);
  }
  if (request.options.snapshot === true) {
    return given.map((field) => `${field} is ignored: "snapshot" starts the lab from its snapshot`);
  }
  return given.slice(1).map((field) => `${field} is ignored: ${given[0]} comes first`);
}

async function findTopology(
  request: LabRequest,
  workdir: string,
  context: PlanContext,
): Promise<PlannedTopology | undefined> {
  const isNeeded = actionsWithTopology.includes(request.action) && request.options.snapshot !== true;
  return isNeeded ? planTopology(request, { ...context, workdir }) : undefined;
}

/**
 * netlab calls a nameless lab after the directory of its topology file. For a text that we save, that is the directory
 * of the job: every run would make another lab, and two labs of one day the same one (`job170000000`), whose containers
 * clash. The lab is called after its working directory instead, as if the file were there.
 */
function withName(
  options: CliOptionValues,
  topology: PlannedTopology | undefined,
  workdir: string,
): CliOptionValues {
  if (topology === undefined || topology.isNamed || options.set?.['name'] !== undefined) return options;
  return { ...options, set: { name: labNameFrom(workdir), ...options.set } };
}

/**
 * Where a job will run and with which arguments. Everything that can be known to be wrong is found here, so that
 * nothing is queued for a bad request: throws `invalid-request`, `workdir-not-found`, `topology-not-found`,
 * `instance-not-found`, `forbidden-path`, `forbidden-host` or `topology-download-failed`. Writes nothing.
 */
export async function planJob(asked: LabRequest, context: PlanContext): Promise<JobPlan> {
  const { options: meant, warnings } = splitOptions(asked.action, asked.options);
  const request = { ...asked, options: meant };
  const place = await findPlace(request, context);
  const options = await checkPaths(meant, place.workdir, context.roots);
  const topology = await findTopology(request, place.workdir, context);
  const named = withName(options, topology, place.workdir);
  const multilabId = options.multilabId === undefined ? null : String(options.multilabId);
  return {
    workdir: place.workdir,
    args: (savedTopologyPath) =>
      buildArguments(request.action, named, topology && (topology.file ?? savedTopologyPath)),
    topologyText: topology?.text,
    instance: options.instance ?? multilabId,
    warnings: [...warnings, ...place.warnings, ...topologyWarnings(request)],
  };
}

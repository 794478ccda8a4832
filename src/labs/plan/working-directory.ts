import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, fieldError, invalidField } from '../../lib/app-error.ts';
import { isNothingAt } from '../../lib/files/exists.ts';
import { expandHome } from '../../lib/files/home.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { findsDirectoryByInstance, passesInstanceOn, specOf, type Action } from '../model/actions.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import { givenTopologyFields, type TopologyFields } from '../topologies/plan-topology.ts';
import { checkWorkspaceName, noSuchWorkspace, type WorkspacePlaces } from '../workspaces/workspace-places.ts';

/** The place of a job as the client gives it. */
export interface PlaceRequest extends TopologyFields {
  readonly action: Action;
  /** Relative to the workspace, if one is given. */
  readonly workdir?: string | undefined;
  readonly workspace?: string | undefined;
  readonly workspaceRoot?: string | undefined;
  readonly options: { readonly instance?: string | undefined };
}

export interface PlaceContext {
  readonly roots: AllowedRoots;
  /** The directory of a lab instance; undefined when there is no such instance. */
  readonly directoryOf: (instance: string) => Promise<string | undefined>;
  /** The instance that lives in a directory (a real path); undefined when the status lists none. */
  readonly instanceIn: (directory: string) => Promise<string | undefined>;
  /** Whether the lab CLI can stop a lab by its instance alone, when its directory is gone. */
  readonly stopsWithoutDirectory: boolean;
  /** Whether a job may be about an instance with an unknown directory. */
  readonly mayNameUnknown: boolean;
  readonly serverDirectory: string;
  readonly workspaces: WorkspacePlaces;
}

/** The parts of this machine that a request may use. */
export interface PlanScope {
  /** Whether it may name what is there: a path, absolute, symbolic links resolved. */
  readonly allows: (realPath: string) => boolean;
  /** Whether it may name an instance whose directory is unknown. */
  readonly mayNameUnknown: boolean;
  /** @throws AppError when the user may not do that there. It is asked again when the job is recorded. */
  readonly check?: (
    planned: { readonly action: Action; readonly workdir: string; readonly workspace: string | null },
    others: readonly never[],
  ) => void;
}

interface Place {
  /** Real path; where nothing is any more with `goneLab`. */
  readonly workdir: string;
  /** The instance of a lab that lives there, and is to be stopped though its directory is gone. */
  readonly goneLab?: string;
  readonly warnings: readonly string[];
}

interface Given {
  readonly field: string;
  readonly value: string;
}

function givenPath({ workdir, workspaceRoot }: PlaceRequest): Given | undefined {
  // Empty counts as absent, as in netlab api.
  if (workdir) return { field: 'workdir', value: workdir };
  return workspaceRoot ? { field: 'workspaceRoot', value: workspaceRoot } : undefined;
}

function givenWorkdir(request: PlaceRequest): Given | undefined {
  const { workspace } = request;
  return workspace ? { field: 'workspace', value: workspace } : givenPath(request);
}

/** Whether the request says where the job is to run. */
export function namesDirectory(request: PlaceRequest): boolean {
  return givenWorkdir(request) !== undefined;
}

/** The directory that a request says, a real path as long as there is such a directory; it is not checked. */
export async function directoryOfRequest(
  request: PlaceRequest,
  {
    serverDirectory,
    workspaces,
  }: { readonly serverDirectory: string; readonly workspaces: Pick<WorkspacePlaces, 'pathOf'> },
): Promise<string> {
  const { field, value } = givenWorkdir(request) ?? { field: 'workdir', value: serverDirectory };
  const isWorkspace = field === 'workspace';
  const base = isWorkspace ? workspaces.pathOf(value) : serverDirectory;
  const named = isWorkspace ? givenPath(request)?.value : value;
  // Such a path is refused when it is read.
  return named === undefined || named.includes('\0') ? base : directoryNamed(named, base);
}

/** The directory of a client's request as recorded in jobs: the real path if the directory exists. */
export async function directoryNamed(given: string, serverDirectory: string): Promise<string> {
  const directory = path.resolve(serverDirectory, expandHome(given));
  return realpath(directory).catch(() => directory);
}

/** `workdir`, else `workspaceRoot`, else the server's directory, as a real path inside the roots. */
async function resolveWorkdir(request: PlaceRequest, context: PlaceContext): Promise<string> {
  const { field, value } = givenWorkdir(request) ?? { field: 'workdir', value: context.serverDirectory };
  if (field === 'workspace') return placeInWorkspace(value, request, context);
  assertNoNul(field, value);
  return usableDirectory(path.resolve(context.serverDirectory, expandHome(value)), field, context.roots);
}

function assertNoNul(field: string, value: string): void {
  if (value.includes('\0')) throw invalidField(field, 'must not contain a NUL byte');
}

/**
 * The workspace, or the directory in it that `workdir` names.
 * @throws AppError `invalid-request` when the two contradict each other: one of them would be ignored.
 */
async function placeInWorkspace(name: string, request: PlaceRequest, context: PlaceContext): Promise<string> {
  const workspace = await placeOfWorkspace(name, request, context);
  const given = givenPath(request);
  if (given === undefined) return workspace;
  const { field, value } = given;
  assertNoNul(field, value);
  const directory = path.resolve(workspace, expandHome(value));
  // It may have to be made first, and has no directories until then.
  if (directory === workspace) return workspace;
  const real = await realpath(directory).catch(() => directory);
  if (isInside(workspace, directory) && isInside(workspace, real))
    return usableDirectory(directory, field, context.roots);
  throw invalidField(
    field,
    `contradicts "workspace": ${value} is not in the workspace "${name}"; leave one of the two out, or give a path relative to the workspace`,
  );
}

/** A workspace may be missing if the request names a topology: the service creates it once the job is accepted. */
async function placeOfWorkspace(
  name: string,
  request: PlaceRequest,
  { workspaces, roots }: PlaceContext,
): Promise<string> {
  checkWorkspaceName(name, 'workspace');
  const directory = workspaces.pathOf(name);
  const entry = await lstat(directory).catch(() => undefined);
  const isStart = specOf(request.action).needsTopology && givenTopologyFields(request).length > 0;
  const isUsable = entry === undefined ? isStart : entry.isDirectory() && roots.allows(directory);
  if (!isUsable) throw noSuchWorkspace(name);
  return directory;
}

async function usableDirectory(directory: string, field: string, roots: AllowedRoots): Promise<string> {
  const real = await realpath(directory).catch(() => undefined);
  // Checked first, so that no error reveals which files exist outside the roots. A lab that is there already can be taken down.
  if (field === 'instance') roots.check(real ?? directory, field);
  else roots.checkDirectory(real ?? directory, field);
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || found === undefined) {
    throw fieldError('workdir-not-found', field, `there is no directory ${directory}; create it first`);
  }
  if (!found.isDirectory()) throw fieldError('workdir-not-found', field, `${directory} is not a directory`);
  return real;
}

function unknownInstance(instance: string, request: PlaceRequest): AppError {
  const given = givenWorkdir(request);
  const advice = given === undefined ? '' : `; without "instance", the lab in ${given.value} is meant`;
  return fieldError(
    'instance-not-found',
    'instance',
    `there is no lab instance "${instance}"; "lab labs" and GET /labs list those there are${advice}`,
  );
}

/**
 * The directory of a lab instance; undefined if the lab CLI cannot report it and the job may run without: with a broken status,
 * users must still be able to stop a lab in a directory that they name. The lab CLI also gets the instance then, so that it
 * stops no other lab. An action that does not pass the instance on would affect any lab in the directory.
 */
async function askForDirectory(
  instance: string,
  request: PlaceRequest,
  context: PlaceContext,
): Promise<string | undefined> {
  let directory: string | undefined;
  try {
    directory = await context.directoryOf(instance);
  } catch (error) {
    const isCliFault = error instanceof AppError && error.code.startsWith('lab-cli-');
    const mayDoWithout =
      context.mayNameUnknown && passesInstanceOn(request.action) && givenWorkdir(request) !== undefined;
    if (isCliFault && mayDoWithout) return undefined;
    throw error;
  }
  if (directory === undefined) throw unknownInstance(instance, request);
  return directory;
}

/** The directory of the lab instance, so that the lock on the directory is the right one. */
async function placeOfInstance(
  instance: string,
  request: PlaceRequest,
  context: PlaceContext,
): Promise<Place> {
  const directory = await askForDirectory(instance, request, context);
  if (directory === undefined) {
    const workdir = await resolveWorkdir(request, context);
    return {
      workdir,
      warnings: [`the lab CLI cannot tell where instance "${instance}" lives: running in ${workdir}`],
    };
  }
  const workdir = await usableDirectory(directory, 'instance', context.roots);
  const field = givenWorkdir(request)?.field;
  if (field === undefined || (await directoryOfRequest(request, context)) === workdir)
    return { workdir, warnings: [] };
  return { workdir, warnings: [`${field} is ignored: instance "${instance}" lives in ${workdir}`] };
}

/**
 * The place of a lab whose directory is gone: a lab that runs must not stay for that. Undefined when the directory is there, or
 * no lab is known to live in it. @throws AppError `forbidden-path`; `workdir-not-found` if the lab CLI needs the directory.
 */
async function placeOfGoneLab(request: PlaceRequest, context: PlaceContext): Promise<Place | undefined> {
  const { instance } = request.options;
  const directory =
    instance === undefined
      ? await directoryOfRequest(request, context)
      : await context.directoryOf(instance).catch(() => undefined);
  if (!directory || !path.isAbsolute(directory) || !(await isNothingAt(directory))) return undefined;
  const field = instance === undefined ? (givenWorkdir(request)?.field ?? 'workdir') : 'instance';
  // Checked first, so that no error reveals which labs there are outside the roots.
  context.roots.check(directory, field);
  const goneLab = instance ?? (await context.instanceIn(directory).catch(() => undefined));
  if (goneLab === undefined) return undefined;
  const gone = `the directory ${directory} of the lab "${goneLab}" is gone`;
  if (!context.stopsWithoutDirectory)
    throw fieldError(
      'workdir-not-found',
      field,
      `${gone}, and the lab CLI stops a lab from there: restore it`,
    );
  return { workdir: directory, goneLab, warnings: [`${gone}: the lab is stopped without its files`] };
}

/**
 * Where a job is to run. Throws `workdir-not-found`, `instance-not-found` or `forbidden-path`; `lab-cli-...` when the
 * directory of an instance is wanted and the lab CLI cannot tell it.
 */
export async function findPlace(request: PlaceRequest, context: PlaceContext): Promise<Place> {
  const { action, options } = request;
  const withoutDirectory = specOf(action).stopsLab ? await placeOfGoneLab(request, context) : undefined;
  if (withoutDirectory) return withoutDirectory;
  if (options.instance !== undefined && findsDirectoryByInstance(action)) {
    return placeOfInstance(options.instance, request, context);
  }
  return { workdir: await resolveWorkdir(request, context), warnings: [] };
}

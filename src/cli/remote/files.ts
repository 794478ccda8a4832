/** `lab workspaces`, `lab push` and `lab pull`: the files of a directory to a workspace of a server, and what is there back. */
import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rename } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import type { Workspace } from '../../client/api-types.ts';
import { asWorkspaces } from '../../client/expected.ts';
import { ConnectionError, ServiceError } from '../../client/service-error.ts';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import { packArchive } from '../../lib/archives/pack.ts';
import { packItems } from '../../lib/archives/pack-items.ts';
import { UnpackTarget } from '../../lib/archives/unpack-target.ts';
import { unpackTarGz } from '../../lib/archives/unpack-tar.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { removeTree } from '../../lib/files/remove-tree.ts';
import { formatSize } from '../../lib/text/size.ts';
import { complain, endWith } from './ending.ts';
import { listOfAll, printJson, withOutput } from './jobs.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { harmless, workspacesTable } from './tables.ts';

/** The user trusts the server, so downloads may be large; a full disk is reported when it happens. */
const pullLimits = {
  maxFileBytes: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxEntries: 1_000_000,
  maxRatio: Number.POSITIVE_INFINITY,
};

const jobIdPattern = /^job-\d{1,15}-[0-9a-f]{6}$/;

/** The name of a directory as that of a workspace: `My Course` as `my-course`. */
function nameFrom(directory: string): string {
  const name = path
    .basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
  if (name !== '') return name;
  throw new UsageError(`"${directory}" cannot be the name of a workspace: give a name`);
}

async function push(client: LabApiClient, directory: string, given: string | undefined): Promise<Workspace> {
  const real = await realpath(directory).catch((error: unknown) => {
    const isMissing = systemCode(error) === 'ENOENT';
    throw new UsageError(isMissing ? `there is no directory ${directory}` : messageOf(error));
  });
  const top = await OpenDirectory.open(real).catch((error: unknown) => {
    const isFile = systemCode(error) === 'ENOTDIR';
    throw new UsageError(isFile ? `${directory} is not a directory` : `${directory}: ${messageOf(error)}`);
  });
  try {
    const archive = new PassThrough();
    const leftOut = (name: string): void =>
      complain(`${name} is left out: only files and directories are sent`);
    // When the server refuses, it stops reading: its answer says why, and not the pipe.
    const packing = packArchive('tar.gz', packItems(top, leftOut), archive);
    const packed = packing.then(
      () => undefined,
      (error: unknown) => error,
    );
    const sending = client.workspaces.replace(
      given ?? nameFrom(real),
      Readable.toWeb(archive) as ReadableStream<Uint8Array>,
    );
    return await sending.catch(async (error: unknown) => {
      archive.destroy();
      const ofFiles = await packed;
      // A code of the system, not of Node: ERR_STREAM_PREMATURE_CLOSE is only the echo of the lost connection.
      const isOfFiles = /^E[A-Z0-9]+$/.test(systemCode(ofFiles) ?? '');
      if (error instanceof ServiceError || !isOfFiles) throw error;
      throw new UsageError(`${directory}: ${messageOf(ofFiles)}`);
    });
  } finally {
    await top.close();
  }
}

/** Whether there is something that must not be replaced. */
async function isTaken(directory: string): Promise<boolean> {
  return readdir(directory).then(
    (names) => names.length > 0,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  );
}

/** The bytes of a reply. If they break off, throws a ConnectionError. */
export async function* bytesOf(reply: Response): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* (reply.body ?? []) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new ConnectionError('the connection was lost before the end of the archive', { cause: error });
  }
}

/** Unpacks beside the directory and puts it in its place when all of it is there: half of it is never seen. */
async function unpackAs(directory: string, reply: Response): Promise<void> {
  const target = path.resolve(directory);
  const beside = `.${path.basename(target)}.${randomBytes(4).toString('hex')}`;
  const parent = await OpenDirectory.open(await realpath(path.dirname(target)));
  try {
    await mkdir(parent.at(beside));
    const unpacking = new UnpackTarget(parent.at(beside), pullLimits, { onBytes: () => undefined });
    try {
      await unpackTarGz(bytesOf(reply), unpacking);
      await unpacking.finish();
      // An empty directory gives way (rename(2)).
      await rename(parent.at(beside), target);
    } catch (error) {
      await unpacking.settle();
      await removeTree(parent, beside);
      throw error;
    }
  } finally {
    await parent.close();
  }
}

interface PullOptions {
  readonly workspace?: boolean;
}

async function pull(
  client: LabApiClient,
  name: string,
  directory: string,
  { workspace }: PullOptions,
): Promise<number> {
  if (name === '')
    throw new UsageError('the name is empty: give the id of a job, or the name of a workspace');
  if (await isTaken(directory))
    throw new UsageError(`${directory} exists and is not an empty directory: give another directory`);
  const { workspaces } = client;
  const isJob = !workspace && jobIdPattern.test(name);
  const asked = isJob ? workspaces.downloadArtifacts(name) : workspaces.download(name);
  const reply = await asked.catch((error: unknown) => {
    const code = error instanceof ServiceError ? error.code : undefined;
    if (workspace || (code !== 'job-not-found' && code !== 'workspace-not-found')) throw error;
    complain(
      isJob
        ? `there is no job "${name}"; for a workspace of that name, add --workspace`
        : `there is neither a job nor a workspace "${name}"; "lab jobs" and "lab workspaces" list them`,
    );
  });
  if (reply === undefined) return 1;
  try {
    await unpackAs(directory, reply);
  } catch (error) {
    const isOfFiles = error instanceof AppError || systemCode(error)?.startsWith('E') === true;
    if (!isOfFiles) throw error;
    complain(messageOf(error));
    return 1;
  }
  const isEmpty = (await readdir(directory)).length === 0;
  const outcome = isEmpty ? `has no files: ${directory} is empty` : `is in ${directory}`;
  process.stdout.write(`${harmless(name)} ${outcome}\n`);
  return 0;
}

function addWorkspacesCommand(program: Command): void {
  withOutput(
    withServerOptions(program.command('workspaces').description('list the workspaces of a lab-api server')),
  ).action(async ({ output }: { output: string }, command: Command) =>
    endWith(command, async () => {
      const workspaces = asWorkspaces(await listOfAll(await clientFor(command), 'workspaces'));
      if (output === 'json') return printJson(workspaces);
      const table = workspaces.length > 0 && (await workspacesTable(workspaces, Date.now()));
      process.stdout.write(table || 'no workspaces\n');
    }),
  );
}

export function addFileCommands(program: Command): void {
  addWorkspacesCommand(program);
  withOutput(
    withServerOptions(
      program
        .command('push')
        .description('replace the files of a workspace on a lab-api server with those of a directory'),
    ),
  )
    .argument('<directory>')
    .argument('[workspace]', 'name of the workspace; default: name of the directory')
    .action(
      async (
        directory: string,
        given: string | undefined,
        { output }: { output: string },
        command: Command,
      ) =>
        endWith(command, async () => {
          const workspace = await push(await clientFor(command), directory, given);
          if (output === 'json') printJson(workspace);
          else {
            const { name, files, size } = workspace;
            const noun = files === 1 ? 'file' : 'files';
            process.stdout.write(`${harmless(name)} has ${files} ${noun}, ${formatSize(size)}\n`);
          }
        }),
    );
  withServerOptions(
    program.command('pull').description('download the files of a job or a workspace from a lab-api server'),
  )
    .argument('<name>', 'the id of a job, or the name of a workspace')
    .argument('[directory]', 'new or empty directory; default: name of the job or workspace')
    .option('--workspace', 'take the name for a workspace, even if it looks like the id of a job')
    .action(async (name: string, directory: string | undefined, options: PullOptions, command: Command) =>
      endWith(command, async () => pull(await clientFor(command), name, directory ?? name, options)),
    );
}

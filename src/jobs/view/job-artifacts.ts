/**
 * The files that a job made: its own directory for artifacts, and in its working directory the files that its action makes
 * there, if they were written while the job ran. A working directory may have private files of a user, so no other
 * file in it is listed.
 */
import path from 'node:path';
import { AppError, systemCode } from '../../lib/app-error.ts';
import { MountedDirectory, OpenDirectory, withOpened } from '../../lib/files/open-directory.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { walkTree, type TreeEntry } from '../../lib/files/walk-tree.ts';
import type { Artifact } from '../job-service.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { JobStore } from '../store/job-store.ts';
import { noSuchJob } from '../model/no-such-job.ts';

interface ArtifactsDeps {
  readonly store: JobStore;
  readonly lab: Pick<LabPort, 'allows' | 'madeBy'>;
}

/** Times of files come from a clock that ticks every few milliseconds, and some file systems keep whole seconds. */
const slackMs = 2_000;

const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

function unlessGone(error: unknown): undefined {
  if (goneCodes.has(systemCode(error) ?? '') || error instanceof MountedDirectory) return undefined;
  throw new AppError('storage-fault', 'the artifacts cannot be read at the moment', { cause: error });
}

/** Whether a file was made or changed while the job ran, and not since: no program can set the time of its inode. */
function isOfRun({ startedAt, finishedAt }: Job, { stats }: TreeEntry): boolean {
  if (startedAt === null) return false;
  const end = finishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(finishedAt) + slackMs;
  return stats.ctimeMs >= Date.parse(startedAt) - slackMs && stats.mtimeMs <= end;
}

function asArtifact(entry: TreeEntry): Artifact {
  const { path: name, stats, parent } = entry;
  return {
    path: name,
    size: stats.size,
    modifiedAt: stats.mtime,
    isDirectory: false,
    isProgram: (stats.mode & 0o100) !== 0,
    open: async () => parent.file(entry.name).catch(unlessGone),
  };
}

/** The files below `directory` that `parts` lead to, a file or a directory. */
async function* filesAt(top: OpenDirectory, parts: readonly string[]): AsyncGenerator<TreeEntry, void, void> {
  const wanted = parts.join('/');
  const isOnTheWay = (name: string): boolean =>
    wanted === name || wanted.startsWith(`${name}/`) || name.startsWith(`${wanted}/`);
  for await (const entry of walkTree(top, isOnTheWay))
    if (entry.kind === 'file' && (entry.path === wanted || entry.path.startsWith(`${wanted}/`))) yield entry;
}

async function* ofWorkdir(job: Job, { lab }: ArtifactsDeps): AsyncGenerator<TreeEntry, void, void> {
  const { workdir } = job;
  const places = lab.madeBy(job).map(({ path: name }) => path.relative(workdir, path.resolve(workdir, name)));
  const below = [...new Set(places)].filter((name) => name !== '' && isInside('/w', path.join('/w', name)));
  if (below.length === 0 || !lab.allows(workdir)) return;
  const top = await OpenDirectory.openReal(workdir).catch(unlessGone);
  if (top === undefined) return;
  yield* withOpened(top, async function* () {
    for (const name of below)
      for await (const entry of filesAt(top, name.split(path.sep))) if (isOfRun(job, entry)) yield entry;
  });
}

async function* ofOwn(job: Job, { store }: ArtifactsDeps): AsyncGenerator<TreeEntry, void, void> {
  const top = await OpenDirectory.open(store.paths(job.id).artifacts).catch(unlessGone);
  if (top === undefined) return;
  yield* withOpened(top, async function* () {
    for await (const entry of walkTree(top)) if (entry.kind === 'file') yield entry;
  });
}

/** Its own come first; a file of the working directory that has the path of one of these is left out. */
export async function* artifactsOf(job: Job, deps: ArtifactsDeps): AsyncGenerator<Artifact, void, void> {
  const told = new Set<string>();
  for (const source of [ofOwn, ofWorkdir]) {
    for await (const entry of source(job, deps)) {
      if (told.has(entry.path)) continue;
      told.add(entry.path);
      yield asArtifact(entry);
    }
    // Its files are being erased, and so some may have been missing: a reply that was begun must not look whole.
    if (deps.store.summary(job.id) === undefined) throw noSuchJob(job.id);
  }
}

import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, fieldError, invalidField } from '../../lib/app-error.ts';
import { expandHome } from '../../lib/files/home.ts';
import type { GitSource } from '../model/git-source.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import type { LabDriver, TopologyFiles } from '../drivers/lab-driver.ts';

interface TopologyFileContext {
  readonly workdir: string;
  readonly roots: AllowedRoots;
  /** The topology files of the lab CLI in use. */
  readonly topologies: Pick<TopologyFiles, 'candidates' | 'places'>;
  /** The others of the service: what lies in the directory may be for one of them. Absent: there are none. */
  readonly otherDrivers?: readonly Pick<LabDriver, 'name' | 'topologies'>[];
  /** The files of the directory came from it. */
  readonly source?: Pick<GitSource, 'path'> | undefined;
}

type Look = 'readable' | 'missing' | 'not-a-file' | 'unreadable';

async function look(file: string): Promise<Look> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return 'missing';
  // A FIFO or a device would make the lab CLI wait for ever.
  if (!found.isFile()) return 'not-a-file';
  return access(file, constants.R_OK).then(
    () => 'readable',
    () => 'unreadable',
  );
}

async function namedFile(topologyPath: string, { workdir, roots }: TopologyFileContext): Promise<string> {
  if (topologyPath.includes('\0')) throw invalidField('topologyPath', 'must not contain a NUL byte');
  const file = path.resolve(workdir, expandHome(topologyPath));
  // Before the look, so that the errors below do not tell what there is outside the roots.
  roots.check(await realpath(file).catch(() => file), 'topologyPath');
  switch (await look(file)) {
    case 'readable':
      return file;
    case 'missing':
      throw fieldError('topology-not-found', 'topologyPath', `there is no file ${file}`);
    case 'not-a-file':
      throw invalidField('topologyPath', `${file} is not a regular file`);
    case 'unreadable':
      throw invalidField('topologyPath', `${file} cannot be read by the service; check its permissions`);
  }
}

/** Where the directory has nothing for the lab CLI in use, whose topology is there. */
async function hintAtOther({ workdir, otherDrivers = [] }: TopologyFileContext): Promise<string> {
  for (const { name, topologies } of otherDrivers)
    for (const candidate of await topologies.candidates(workdir))
      if ((await look(path.join(workdir, candidate))) === 'readable')
        return `; ${candidate} is there, for which the request needs "cli": "${name}"`;
  return '';
}

/** The directory of a repository by its path there: the one on this machine goes with the request. */
function directoryWords({ workdir, source }: TopologyFileContext): readonly [name: string, remedy: string] {
  if (source === undefined) return [workdir, ''];
  const { path: below } = source;
  const name =
    below === undefined ? 'the repository' : `the directory ${JSON.stringify(below)} of the repository`;
  return [name, '; "source.path" (--path) names the directory of a lab'];
}

async function defaultFile(context: TopologyFileContext): Promise<string> {
  const { workdir, roots, topologies } = context;
  for (const candidate of await topologies.candidates(workdir)) {
    const file = path.join(workdir, candidate);
    // One that vanishes meanwhile was not there; the roots count for what a symbolic link leads to.
    const real = (await look(file)) === 'readable' && (await realpath(file).catch(() => undefined));
    if (!real) continue;
    roots.check(real, 'workdir');
    return file;
  }
  const [directory, remedy] = directoryWords(context);
  const hint = `${await hintAtOther(context)}${remedy}`;
  const message = `There is no topology: give "topology", "topologyUrl" or "topologyPath": ${directory} has none of ${topologies.places.join(', ')}${hint}`;
  const fields = ['topologyUrl', 'topology', 'topologyPath'];
  throw new AppError('invalid-request', message, {
    errors: fields.map((field) => ({ field, message: 'one of the three is needed' })),
  });
}

/**
 * The absolute path of the topology file that a request means: `topologyPath` (`~` expanded, relative to `workdir`),
 * else the first of the places where the lab CLI has its topologies. Readable, a regular file and, symbolic links resolved, inside the roots.
 * Throws `topology-not-found` for a named file that is missing, `invalid-request` when none was named and none is
 * there, `forbidden-path` outside the roots.
 */
export async function findTopologyFile(
  topologyPath: string | undefined,
  context: TopologyFileContext,
): Promise<string> {
  return topologyPath === undefined ? defaultFile(context) : namedFile(topologyPath, context);
}

import path from 'node:path';
import { AppError, invalidField } from '../../../lib/app-error.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import type { Action } from '../../model/actions.ts';
import type { LabAsked, LabDriver } from '../lab-driver.ts';
import { instanceOf } from '../netlab-language/topology-files.ts';

/** Ten times the longest known topology. */
const maxBytes = 4 * 1024 * 1024;
/** netlab reads less than ten files of defaults. */
const filesMax = 100;

const isText = (value: unknown): value is string => typeof value === 'string';

/** The topology file of the lab and the files of defaults that came with it; none when netlab cannot tell: then it restarts nothing either. */
async function inputFiles(run: LabAsked['run']): Promise<readonly string[]> {
  const { exitCode, stdout } = await run(['inspect', '--format', 'json', 'input']);
  if (exitCode !== 0) return [];
  try {
    const files: unknown = JSON.parse(stdout.toString('utf8'));
    return Array.isArray(files) && files.every(isText) ? files.slice(0, filesMax) : [];
  } catch {
    return [];
  }
}

/** netlab names the file: it may be a link, and anything may have taken its place. @throws Error when it cannot be read. */
async function readText(file: string): Promise<string> {
  const reading = await readPlainBytes(file, { maxBytes, followsLinks: true });
  if (reading.kind !== 'found') throw reading.error;
  return reading.bytes.toString('utf8');
}

/** The ids that the files set, the topology's own first. `package:` names a file of netlab's own. */
async function idsIn(texts: readonly string[]): Promise<readonly string[]> {
  const ids = await Promise.all(texts.map(async (topologyText) => instanceOf({ options: {}, topologyText })));
  return ids.filter((id) => id !== null && id !== 'default');
}

/**
 * netlab takes the lab down, and gives the topology file alone to `up` (netsim/cli/restart.py, `up_args`): a file that is gone
 * leaves no lab, and without the options of the first `up` it may be another one. Both are checked before anything is stopped.
 */
async function checkRestart({ workdir, instance, env, run }: LabAsked): Promise<void> {
  const [topology, ...defaults] = await inputFiles(run);
  if (topology === undefined) return;
  const text = await readText(path.resolve(workdir, topology)).catch((error: unknown) => {
    const message = `${topology}, which the lab was started from, cannot be read: it would be stopped, and not started again; use "up" with "snapshot"`;
    throw new AppError('topology-not-found', message, { cause: error });
  });
  const others = defaults
    .filter((file) => !file.startsWith('package:'))
    .map(async (file) => readText(path.resolve(workdir, file)).catch(() => ''));
  const [id = 'default'] = await idsIn([text, ...(await Promise.all(others))]);
  const next = env['NETLAB_MULTILAB_ID'] || id;
  if (instance === null || next === instance) return;
  throw invalidField(
    'action',
    `netlab would stop lab "${instance}" in ${workdir}, and start "${next}" in its place, because it repeats no option of "up": use "down", and "up" with "snapshot"`,
  );
}

const checks: Readonly<Partial<Record<Action, (asked: LabAsked) => Promise<void>>>> = {
  restart: checkRestart,
};

/** Looks at a lab before an action that would do something else than it says. */
export const checkLab: NonNullable<LabDriver['checkLab']> = async (asked) => checks[asked.action]?.(asked);

import path from 'node:path';
import { AppError, invalidField } from '../../../lib/app-error.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import type { Action } from '../../model/actions.ts';
import { highestMultilabId } from '../../model/options.ts';
import type { LabAsked, LabDriver } from '../lab-driver.ts';
import { instanceOf } from '../netlab-language/topology-files.ts';
import { inspected } from './inspected.ts';

/** Ten times the longest known topology. */
const maxBytes = 4 * 1024 * 1024;
/** netlab reads less than ten files of defaults. */
const filesMax = 100;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Texts that netlab has of the lab; none when it has no such texts, and undefined when it did not tell. */
async function textsOf(name: string, run: LabAsked['run']): Promise<readonly string[] | undefined> {
  const { exitCode, stdout } = await run(['inspect', '--format', 'json', name]);
  if (exitCode === null) return undefined;
  if (exitCode !== 0) return [];
  try {
    const texts = inspected(stdout);
    return Array.isArray(texts) && texts.every(isText) ? texts.slice(0, filesMax) : [];
  } catch {
    return undefined;
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

/** Whether an instance is a number that `up` may have been given. */
function isNumber(instance: string): boolean {
  return /^[1-9]\d*$/.test(instance) && Number(instance) <= highestMultilabId;
}

/**
 * The number of a lab, as netlab takes it from its environment (netsim/utils/read.py, include_environment_defaults), with the plugin
 * that reads it. The variable replaces the plugins of all defaults, so it names those of the lab as well.
 */
async function numberSettings(
  number: string,
  run: LabAsked['run'],
): Promise<Readonly<Record<string, string>>> {
  const told = await textsOf('defaults.plugin', run);
  if (told === undefined)
    throw new AppError('lab-cli-failed', 'netlab did not tell the plugins of the lab; it was not stopped', {
      retryAfterSeconds: 10,
    });
  const plugins = new Set([...told, 'multilab']);
  return { NETLAB_MULTILAB_ID: number, NETLAB_PLUGIN: JSON.stringify([...plugins]) };
}

/**
 * netlab takes the lab down, and gives the topology file alone to `up` (netsim/cli/restart.py, `up_args`): a file that is gone
 * leaves no lab, which is checked before anything is stopped, and a number that the first `up` was given has to be repeated.
 */
async function checkRestart({
  workdir,
  instance,
  env,
  run,
}: LabAsked): Promise<Readonly<Record<string, string>>> {
  // When netlab cannot tell, it restarts nothing either.
  const [topology, ...defaults] = (await textsOf('input', run)) ?? [];
  if (topology === undefined) return {};
  const text = await readText(path.resolve(workdir, topology)).catch((error: unknown) => {
    const message = `${topology}, which the lab was started from, cannot be read: it would be stopped, and not started again; use "down", and "up" with "snapshot"`;
    throw new AppError('topology-not-found', message, { cause: error });
  });
  const others = defaults
    .filter((file) => !file.startsWith('package:'))
    .map(async (file) => readText(path.resolve(workdir, file)).catch(() => ''));
  const [id = 'default'] = await idsIn([text, ...(await Promise.all(others))]);
  const next = env['NETLAB_MULTILAB_ID'] || id;
  if (instance === null || next === instance) return {};
  if (isNumber(instance)) return numberSettings(instance, run);
  throw invalidField(
    'action',
    `netlab would stop lab "${instance}" in ${workdir}, and start "${next}" in its place, because it repeats no option of "up": use "down", and "up" with "snapshot"`,
  );
}

const checks: Readonly<Partial<Record<Action, NonNullable<LabDriver['checkLab']>>>> = {
  restart: checkRestart,
};

/** Looks at a lab before an action that would do something else than it says. */
export const checkLab: NonNullable<LabDriver['checkLab']> = async (asked) => checks[asked.action]?.(asked);

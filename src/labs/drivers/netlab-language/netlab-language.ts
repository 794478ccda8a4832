/**
 * The language of netlab (https://netlab.tools): its commands and what they print. netlab speaks it, the bundled engine, and any
 * other program that imitates netlab.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { exists } from '../../../lib/files/exists.ts';
import { specOf } from '../../model/actions.ts';
import type { ClaimedSuccess, LabDriver } from '../lab-driver.ts';
import { commandArguments, netlabOptions } from './arguments.ts';
import { errorSentence } from './error-sentence.ts';
import { failureLog } from './errors/failure-log.ts';
import { reportedErrors } from './errors/reported-errors.ts';
import { netlabStatus } from './netlab-status.ts';
import { netlabTests } from './netlab-tests.ts';
import { checkOptions } from './option-rules.ts';
import { nodeOutputReader } from './results/node-output-reader.ts';
import { testReader } from './results/test-reader.ts';
import { instanceOf, topologyFiles } from './topology-files.ts';

/** The parts of a driver that all these programs share. */
export const netlabLanguage = {
  versionArguments: ['version'],
  options: netlabOptions,
  commandArguments,
  checkOptions,
  topologies: topologyFiles,
  instanceOf,
  errorSentence,
  // `validate` ends with 3 when no test failed and some gave a warning (netsim/cli/validate/__init__.py).
  isSuccess: (action, exitCode) => exitCode === 0 || (exitCode === 3 && specOf(action).result === 'tests'),
  outputReaders: { tests: testReader, outputs: nodeOutputReader },
  status: netlabStatus,
  tests: netlabTests,
} as const satisfies Partial<LabDriver>;

async function resolved(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

/** The errors that a `down` printed before it exited with 0. */
export function survivedErrors(logEnd: string): readonly string[] {
  return reportedErrors(failureLog('down', logEnd).lines).map((cause) => cause.replace(/\.$/, ''));
}

/**
 * After `down` exited with 0: why the lab is not gone, or undefined when it is. netlab exits with 0 even when the provider is
 * missing and nothing was stopped (netsim/cli/down.py, `run`). A real `down` removes the instance from the status and then
 * `netlab.lock` from the directory; a dry run does neither. `remains` names the parts of the lab that still exist.
 */
export async function checkDown(
  {
    workdir,
    instanceDirs,
    dryRun,
    logEnd,
  }: Pick<ClaimedSuccess, 'workdir' | 'instanceDirs' | 'dryRun' | 'logEnd'>,
  remains: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (dryRun) return undefined;
  const causes = survivedErrors(logEnd);
  const notGone = (why: string): string =>
    `the lab was not stopped: ${[...causes, why].join('; ')}; see the log`;
  const lock = path.join(workdir, 'netlab.lock');
  if (await exists(lock).catch(() => false)) return notGone(`${lock} is still there`);
  const directories = await Promise.all(((await instanceDirs()) ?? []).map(resolved));
  if (directories.includes(await resolved(workdir))) return notGone(`the status still lists ${workdir}`);
  const left = await remains();
  return left === undefined ? undefined : notGone(`there are still ${left}`);
}

/**
 * After `collect` exited with 0: why nothing was collected, or undefined when something may have been. Without a lab, netlab
 * 26.10 runs Ansible without hosts, which Ansible reports as a success.
 */
function checkCollect(workdir: string, logEnd: string): string | undefined {
  if (!stripVTControlCharacters(logEnd).includes('skipping: no hosts matched')) return undefined;
  return `collect found no lab in ${workdir}: give the "workdir" or the "instance" of one`;
}

/** All their checks after exit code 0, except that a lab is gone. */
export const netlabResultChecks = {
  'lab-was-found': ({ workdir, logEnd }) => Promise.resolve(checkCollect(workdir, logEnd)),
  'nodes-have-started': () => Promise.resolve(undefined),
  'nodes-have-stopped': () => Promise.resolve(undefined),
} as const satisfies Partial<LabDriver['resultChecks']>;

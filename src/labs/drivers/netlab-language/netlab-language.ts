/**
 * The language of netlab (https://netlab.tools): its commands and what they print. netlab speaks it, the bundled engine, and any
 * other program that imitates netlab.
 */
import { specOf } from '../../model/actions.ts';
import type { LabDriver } from '../lab-driver.ts';
import { commandArguments, netlabOptions } from './arguments.ts';
import { errorSentence } from './error-sentence.ts';
import { netlabStatus } from './netlab-status.ts';
import { netlabTests } from './netlab-tests.ts';
import { checkOptions } from './option-rules.ts';
import { checkCollect } from './result-checks.ts';
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

/** All their checks after exit code 0, except that a lab is gone. */
export const netlabResultChecks = {
  'lab-was-found': ({ workdir, logEnd }) => Promise.resolve(checkCollect(workdir, logEnd)),
  'nodes-have-started': () => Promise.resolve(undefined),
  'nodes-have-stopped': () => Promise.resolve(undefined),
} as const satisfies Partial<LabDriver['resultChecks']>;

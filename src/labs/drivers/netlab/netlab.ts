import { lstatSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../../../lib/app-error.ts';
import { findProgram } from '../find-program.ts';
import type { Environment, LabDriver, TopologyFiles } from '../lab-driver.ts';
import { commandArguments } from './arguments.ts';
import { errorSentence } from './error-sentence.ts';
import { failureLog } from './errors/failure-log.ts';
import { refusesTopology } from './errors/reported-errors.ts';
import { instanceOf } from './instance-of.ts';
import { labNameFrom } from './lab-name.ts';
import { remainsOfLab } from './lab-remains.ts';
import { netlabStatus } from './netlab-status.ts';
import { netlabTopology } from './netlab-topology.ts';
import { checkOptions } from './option-rules.ts';
import { checkCollect, checkDown, notGone } from './result-checks.ts';
import { missingPrograms, summarizeTopology } from './topology-summary.ts';

/** Best first. The first two are those of netlab api. */
const topologyPlaces = [
  'netlab/topology.yml',
  'netlab/topology.yaml',
  'topology.yml',
  'topology.yaml',
] as const;

const topologies: TopologyFiles = {
  candidates: () => Promise.resolve(topologyPlaces),
  places: topologyPlaces,
  isName: (name) => /\.ya?ml$/.test(name),
  summarize: summarizeTopology,
  missing: missingPrograms,
  labNameFrom,
};

/**
 * It undoes nothing of what it has begun. Nothing was begun when its last word is that it cannot use the topology, and the
 * directory has no lock: it makes that before it starts the first node (netsim/cli/up.py, run_up), and other programs
 * that speak its language may make none.
 */
function mayHaveLeftLab(_env: Environment, directory: string, logEnd: string): boolean {
  if (!refusesTopology(failureLog('up', logEnd).lines)) return true;
  try {
    lstatSync(path.join(directory, 'netlab.lock'));
    return true;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** netlab (https://netlab.tools), and every program that understands its commands and prints what it prints. */
export const netlab: LabDriver = {
  name: 'netlab',
  isBundled: false,
  find: (env) => findProgram('netlab', env),
  recognizes: (file) => path.basename(file) === 'netlab',
  versionArguments: ['version'],
  commandArguments,
  checkOptions,
  topologies,
  instanceOf,
  errorSentence,
  resultChecks: {
    'lab-is-gone': async (claim) => {
      const { workdir, dryRun, instanceDirs } = claim;
      const why = await checkDown({ workdir, dryRun, instanceDirs: await instanceDirs() });
      if (why !== undefined || dryRun) return why;
      const remains = await remainsOfLab(claim);
      return remains === undefined ? undefined : notGone(remains);
    },
    'lab-was-found': ({ workdir, logEnd }) => Promise.resolve(checkCollect(workdir, logEnd)),
  },
  mayHaveLeftLab,
  status: netlabStatus,
  topology: netlabTopology,
  // netsim/utils/status.py.
  stateFile: (env: Environment) => path.join(env['HOME'] || os.homedir(), '.netlab', 'status.yaml'),
};

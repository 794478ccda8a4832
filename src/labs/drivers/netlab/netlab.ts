import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../../../lib/app-error.ts';
import { specOf } from '../../model/actions.ts';
import { findProgram } from '../find-program.ts';
import type { Environment, LabDriver, TopologyFiles, UnfinishedRun } from '../lab-driver.ts';
import { commandArguments, netlabOptions } from './arguments.ts';
import { errorSentence } from './error-sentence.ts';
import { failureLog } from './errors/failure-log.ts';
import { refusesTopology } from './errors/reported-errors.ts';
import { instanceOf } from './instance-of.ts';
import { labNameFrom } from './lab-name.ts';
import { remainsOfLab } from './lab-remains.ts';
import { madeBy, recordedLabs } from './netlab-files.ts';
import { netlabNodes } from './netlab-nodes.ts';
import { netlabStatus } from './netlab-status.ts';
import { netlabTopology } from './netlab-topology.ts';
import { netlabTests } from './netlab-tests.ts';
import { checkOptions } from './option-rules.ts';
import { checkLab } from './restart-check.ts';
import { checkCollect, checkDown, notGone } from './result-checks.ts';
import { nodeOutputReader } from './results/node-output-reader.ts';
import { testReader } from './results/test-reader.ts';
import { missingPrograms, summarizeTopology } from './topology-summary.ts';

/** Best first. The first two are those of netlab api. */
const topologyPlaces = [
  'netlab/topology.yml',
  'netlab/topology.yaml',
  'topology.yml',
  'topology.yaml',
] as const;

/**
 * The multilab ids of the management bridges on this machine (netsim/extra/multilab/defaults.yml), which include labs of other
 * users and remains of labs that are gone.
 */
async function idsOfManagementBridges(): Promise<readonly string[]> {
  const names = await readdir('/sys/class/net').catch(() => []);
  return names.flatMap((name) => /^nl_mgmt_(\d+)$/.exec(name)?.[1] ?? []);
}

const topologies: TopologyFiles = {
  candidates: () => Promise.resolve(topologyPlaces),
  places: topologyPlaces,
  isName: (name) => /\.ya?ml$/.test(name),
  summarize: summarizeTopology,
  missing: missingPrograms,
  labNameFrom,
};

/** The clock of files may be a tick (4 or 10 ms) behind that of programs. A lab that was there before is older than this. */
const fileTimeLagMs = 20;

/**
 * It undoes nothing of what it has begun. Nothing was begun when the lock in the directory is older: it makes that, or sets its
 * time, before it starts the first node (netsim/cli/up.py, run_up). Where there is none, nothing was begun when its last word
 * is that it cannot use the topology: other programs that speak its language may make none.
 */
function mayHaveLeftLab(_env: Environment, { directory, logEnd, beganMs }: UnfinishedRun): boolean {
  try {
    const { mtimeMs } = lstatSync(path.join(directory, 'netlab.lock'));
    // It sets the time of a lock that is there already.
    return beganMs === null || mtimeMs >= beganMs - fileTimeLagMs;
  } catch (error) {
    return systemCode(error) !== 'ENOENT' || !refusesTopology(failureLog('up', logEnd).lines);
  }
}

// netsim/utils/status.py.
const stateFile = (env: Environment): string =>
  path.join(env['HOME'] || os.homedir(), '.netlab', 'status.yaml');

const wholeLabs = 'it starts and stops labs as a whole';

/** netlab (https://netlab.tools), and every program that understands its commands and prints what it prints. */
export const netlab: LabDriver = {
  name: 'netlab',
  isBundled: false,
  find: (env) => findProgram('netlab', env),
  recognizes: (file) => path.basename(file) === 'netlab',
  versionArguments: ['version'],
  needs: {
    docker: 'for-some-labs',
    programs: [],
    // For containerlab, and for bridges.
    rights: 'sudo',
    providers: {
      // netsim/cli/show_commands/providers.py.
      arguments: ['show', 'providers', '--format', 'yaml'],
      read: async (output) => (await import('./providers.ts')).readProviders(output),
      remedy: 'run "netlab show providers", and install what it misses ("netlab install" helps)',
    },
  },
  options: netlabOptions,
  commandArguments,
  checkOptions,
  checkLab,
  topologies,
  instanceOf,
  instancesToAvoid: idsOfManagementBridges,
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
    'nodes-have-started': () => Promise.resolve(undefined),
    'nodes-have-stopped': () => Promise.resolve(undefined),
  },
  unsupported: { 'start-nodes': wholeLabs, 'stop-nodes': wholeLabs, 'restart-nodes': wholeLabs },
  // `validate` ends with 3 when no test failed and some gave a warning (netsim/cli/validate/__init__.py).
  isSuccess: (action, exitCode) => exitCode === 0 || (exitCode === 3 && specOf(action).result === 'tests'),
  outputReaders: { tests: testReader, outputs: nodeOutputReader },
  mayHaveLeftLab,
  status: netlabStatus,
  tests: netlabTests,
  nodes: netlabNodes,
  topology: netlabTopology,
  files: { recordedLabs: (env) => recordedLabs(stateFile(env)), madeBy },
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
};

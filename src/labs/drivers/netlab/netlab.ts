import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../../../lib/app-error.ts';
import { findProgram } from '../find-program.ts';
import type { Environment, LabDriver, UnfinishedRun } from '../lab-driver.ts';
import { failureLog } from '../netlab-language/errors/failure-log.ts';
import { refusesTopology } from '../netlab-language/errors/reported-errors.ts';
import { madeBy, recordedLabs } from '../netlab-language/netlab-files.ts';
import { netlabLanguage, netlabResultChecks } from '../netlab-language/netlab-language.ts';
import { checkDown } from '../netlab-language/result-checks.ts';
import { remainsOfLab } from './lab-remains.ts';
import { netlabNodes } from './netlab-nodes.ts';
import { netlabTopology } from './netlab-topology.ts';
import { checkLab } from './restart-check.ts';

/**
 * The multilab ids of the management bridges on this machine (netsim/extra/multilab/defaults.yml), which include labs of other
 * users and remains of labs that are gone.
 */
async function idsOfManagementBridges(): Promise<readonly string[]> {
  const names = await readdir('/sys/class/net').catch(() => []);
  return names.flatMap((name) => /^nl_mgmt_(\d+)$/.exec(name)?.[1] ?? []);
}

/** The clock of files may be a tick (4 or 10 ms) behind the clock of programs. The lock of an earlier run is older than this. */
const fileTimeLagMs = 20;

/**
 * netlab undoes nothing of what it began. Before the first node it creates a lock in the directory, or sets the time of the
 * existing one (netsim/cli/up.py, run_up): an older lock means that nothing began. Without a lock, nothing began when the last
 * error rejects the topology; other programs that speak netlab's language may create no lock.
 */
function mayHaveLeftLab(_env: Environment, { directory, logEnd, beganMs }: UnfinishedRun): boolean {
  try {
    const { mtimeMs } = lstatSync(path.join(directory, 'netlab.lock'));
    return beganMs === null || mtimeMs >= beganMs - fileTimeLagMs;
  } catch (error) {
    return systemCode(error) !== 'ENOENT' || !refusesTopology(failureLog('up', logEnd).lines);
  }
}

// netsim/utils/status.py.
const stateFile = (env: Environment): string =>
  path.join(env['HOME'] || os.homedir(), '.netlab', 'status.yaml');

const wholeLabs = 'it starts and stops labs as a whole';

/** netlab, and every program that speaks its language except the bundled engine. */
export const netlab: LabDriver = {
  ...netlabLanguage,
  name: 'netlab',
  isBundled: false,
  find: (env) => findProgram('netlab', env),
  recognizes: (file) => path.basename(file) === 'netlab',
  needs: {
    docker: 'for-some-labs',
    programs: [],
    // For containerlab, and for bridges.
    rights: 'sudo',
    providers: {
      // netsim/cli/show_commands/providers.py.
      arguments: ['show', 'providers', '--format', 'yaml'],
      read: async (output) => {
        const { parse } = await import('yaml');
        const document = (parse(output) ?? {}) as Record<string, { status?: unknown } | null>;
        return Object.entries(document).map(([name, one]) => ({ name, status: String(one?.status) }));
      },
      remedy: 'run "netlab show providers", and install what it misses ("netlab install" helps)',
    },
  },
  checkLab,
  instancesToAvoid: idsOfManagementBridges,
  resultChecks: {
    ...netlabResultChecks,
    'lab-is-gone': async (claim) => checkDown(claim, async () => remainsOfLab(claim)),
  },
  unsupported: { 'start-nodes': wholeLabs, 'stop-nodes': wholeLabs, 'restart-nodes': wholeLabs },
  mayHaveLeftLab,
  nodes: netlabNodes,
  topology: netlabTopology,
  files: { recordedLabs: (env) => recordedLabs(stateFile(env)), madeBy },
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
};

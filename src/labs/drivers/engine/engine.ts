import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../../../lib/app-error.ts';
import { packageFile } from '../../../lib/files/package-root.ts';
import { readPlainTextSync } from '../../../lib/files/plain-file.ts';
import { isProgram } from '../find-program.ts';
import { labHome } from '../lab-home.ts';
import type { Environment, LabDriver, UnfinishedRun } from '../lab-driver.ts';
import type { LabEntry } from '../status-driver.ts';
import { commandArguments } from '../netlab/arguments.ts';
import { netlab } from '../netlab/netlab.ts';
import { recordedLabs } from '../netlab/netlab-files.ts';
import { checkDown, notGone } from '../netlab/result-checks.ts';
import { engineNodes } from './engine-nodes.ts';
import { engineTopology } from './engine-topology.ts';
import { unsupportedIn } from './unsupported.ts';
import { remainsOfLab } from './lab-remains.ts';

const noDevices =
  'its nodes are plain Linux, which "up" gives addresses and routes; there are no devices to configure';

const noProcesses = 'its nodes are network namespaces, which do not run and cannot be stopped';

const engineFile = packageFile('dist', 'engine', 'main.js');

function stateFile(env: Environment): string {
  return path.join(labHome(env) ?? path.join(env['HOME'] || os.homedir(), '.lab'), 'status.json');
}

/** The instances that any user of this machine has claimed: the status of one user does not list those of others. */
export async function claimedInstances(directory = '/run/lab-engine'): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name));
}

/** Whether a lab was there before a command that was to start one. */
function isOlder(entry: LabEntry, beganMs: number | null): boolean {
  const atMs = netlab.status.startOf(entry)?.atMs;
  return beganMs !== null && typeof atMs === 'number' && atMs < beganMs;
}

/**
 * The engine undoes what it made: it enters a lab into its state before anything of it exists, and takes it out when
 * nothing of it does. Of a state that cannot be read, anything is possible.
 */
function mayHaveLeftLab(env: Environment, { directory, beganMs }: UnfinishedRun): boolean {
  try {
    const entries = Object.values(JSON.parse(readPlainTextSync(stateFile(env))) as Record<string, LabEntry>);
    return entries.some((entry) => entry['dir'] === directory && !isOlder(entry, beganMs));
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** The engine that comes with this program. It speaks netlab's language. */
export const engine: LabDriver = {
  ...netlab,
  name: 'engine',
  isBundled: true,
  // It is there when it was built. It is run with the Node that runs us.
  find: () =>
    isProgram(engineFile)
      ? { name: 'lab', file: engineFile, binDirs: [], interpreterDir: path.dirname(process.execPath) }
      : undefined,
  recognizes: (file) => file === engineFile,
  needs: { programs: ['ip', 'nsenter', 'unshare', 'flock'], rights: 'namespaces' },
  // It runs the very words: there is no shell in between.
  commandArguments: (command) => commandArguments(command, (word) => word),
  // Its own words are for the command line; whoever reads of a job sent the fields of a request.
  errorSentence: (ending) =>
    netlab
      .errorSentence(ending)
      .replace('--plugin multilab --set defaults.multilab.id=<number>', 'multilabId'),
  // It starts the lab of the snapshot, with all that was asked for at first.
  checkLab: () => Promise.resolve(),
  unsupported: {
    initial: noDevices,
    config: noDevices,
    'start-nodes': noProcesses,
    'stop-nodes': noProcesses,
    'restart-nodes': noProcesses,
  },
  instancesToAvoid: async () => claimedInstances(),
  resultChecks: {
    ...netlab.resultChecks,
    'lab-is-gone': async ({ workdir, instance, dryRun, instanceDirs }) => {
      const why = await checkDown({ workdir, dryRun, instanceDirs: await instanceDirs() });
      if (why !== undefined || dryRun) return why;
      const namespaces = await remainsOfLab({ workdir, instance });
      return namespaces.length === 0 ? undefined : notGone(`the namespaces ${namespaces.join(', ')}`);
    },
  },
  nodes: engineNodes,
  topologies: {
    ...netlab.topologies,
    summarize: (topology) => {
      const summary = netlab.topologies.summarize(topology);
      return { ...summary, unsupported: unsupportedIn(topology, summary) };
    },
    missing: () => [],
  },
  topology: engineTopology,
  files: { ...netlab.files, recordedLabs: (env) => recordedLabs(stateFile(env)) },
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
  mayHaveLeftLab,
};

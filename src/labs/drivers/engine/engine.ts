import os from 'node:os';
import path from 'node:path';
import { AppError, systemCode } from '../../../lib/app-error.ts';
import { packageFile } from '../../../lib/files/package-root.ts';
import { readPlainTextSync } from '../../../lib/files/plain-file.ts';
import { isProgram } from '../find-program.ts';
import { labHome } from '../lab-home.ts';
import type { Environment, LabDriver, UnfinishedRun } from '../lab-driver.ts';
import { commandArguments } from '../netlab-language/arguments.ts';
import { madeBy, recordedLabs } from '../netlab-language/netlab-files.ts';
import { netlabLanguage, netlabResultChecks } from '../netlab-language/netlab-language.ts';
import { checkDown } from '../netlab-language/result-checks.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';
import type { LabEntry } from '../status-driver.ts';
import { claimedInstances, remainsOfLab } from './claims.ts';
import { engineTopology } from './engine-topology.ts';
import { unsupportedIn } from './unsupported.ts';

const noDevices =
  'its nodes are plain Linux, which "up" gives addresses and routes; there are no devices to configure';

const noProcesses = 'its nodes are network namespaces, which do not run and cannot be stopped';

const engineFile = packageFile('dist', 'engine', 'main.js');

function stateFile(env: Environment): string {
  return path.join(labHome(env) ?? path.join(env['HOME'] || os.homedir(), '.lab'), 'status.json');
}

/** Whether a lab existed before a command that was to start one. */
function isOlder(entry: LabEntry, beganMs: number | null): boolean {
  const atMs = netlabLanguage.status.startOf(entry)?.atMs;
  return beganMs !== null && typeof atMs === 'number' && atMs < beganMs;
}

/**
 * The engine undoes its own work: it enters a lab into its state before it creates anything, and removes the entry when nothing
 * is left. A state that cannot be read proves nothing.
 */
function mayHaveLeftLab(env: Environment, { directory, beganMs }: UnfinishedRun): boolean {
  try {
    const entries = Object.values(JSON.parse(readPlainTextSync(stateFile(env))) as Record<string, LabEntry>);
    return entries.some((entry) => entry['dir'] === directory && !isOlder(entry, beganMs));
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** `connect`, because `exec` takes several nodes and reads a node called `all` as all of them. */
const inside = ({ cli, lab, node }: NodeAddress): readonly string[] => [
  cli,
  'connect',
  '--instance',
  lab,
  node,
  '--',
];

/** The nodes are network namespaces, in which programs of this machine run. */
const engineNodes: NodeDriver = {
  inside,
  inNetwork: inside,
  log: ({ node }) => {
    throw new AppError(
      'not-supported',
      `${node} is a network namespace of the bundled engine: nothing runs in it by itself, so there is no log`,
    );
  },
  // The processes run on this machine and get SIGHUP when the terminal ends, which some of them ignore.
  terminal: ({ cli, lab, node }) =>
    Promise.resolve({ command: [cli, 'connect', '--instance', lab, node], inside: [] }),
};

/** The engine that comes with this program. It speaks netlab's language. */
export const engine: LabDriver = {
  ...netlabLanguage,
  name: 'engine',
  isBundled: true,
  // Run by the same Node as the service.
  find: () =>
    isProgram(engineFile)
      ? { name: 'lab', file: engineFile, binDirs: [], interpreterDir: path.dirname(process.execPath) }
      : undefined,
  recognizes: (file) => file === engineFile,
  needs: { programs: ['ip', 'nsenter', 'unshare', 'flock'], rights: 'namespaces' },
  // It runs the words of a command as they are: there is no shell in between.
  commandArguments: (command) => commandArguments(command, (word) => word),
  // The engine names its options; the reader of a job knows the fields of a request.
  errorSentence: (ending) =>
    netlabLanguage
      .errorSentence(ending)
      .replace('--plugin multilab --set defaults.multilab.id=<number>', 'multilabId'),
  unsupported: {
    initial: noDevices,
    config: noDevices,
    'start-nodes': noProcesses,
    'stop-nodes': noProcesses,
    'restart-nodes': noProcesses,
  },
  // No `checkLab`: `restart` starts the lab from its snapshot, with all options of its first `up`.
  instancesToAvoid: async () => claimedInstances(),
  resultChecks: {
    ...netlabResultChecks,
    'lab-is-gone': async (claim) =>
      checkDown(claim, async () => {
        const namespaces = await remainsOfLab(claim);
        return namespaces.length === 0 ? undefined : `the namespaces ${namespaces.join(', ')}`;
      }),
  },
  nodes: engineNodes,
  topologies: {
    ...netlabLanguage.topologies,
    summarize: (topology) => {
      const summary = netlabLanguage.topologies.summarize(topology);
      return { ...summary, unsupported: unsupportedIn(topology, summary) };
    },
    missing: () => [],
  },
  topology: engineTopology,
  mayHaveLeftLab,
  files: { recordedLabs: (env) => recordedLabs(stateFile(env)), madeBy },
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
};

import path from 'node:path';
import { AppError, systemCode } from '../../../lib/app-error.ts';
import { packageFile } from '../../../lib/files/package-root.ts';
import { readPlainBytesSync } from '../../../lib/files/plain-file.ts';
import { parseJson, shortBytes } from '../../system/foreign-file.ts';
import { isProgram } from '../find-program.ts';
import { isMapping, type Mapping } from '../../../lib/mapping.ts';
import type { Environment, LabDriver, TopologySummary, UnfinishedRun } from '../lab-driver.ts';
import { commandArguments } from '../netlab-language/arguments.ts';
import { madeBy } from '../netlab-language/netlab-files.ts';
import { checkDown, netlabLanguage, netlabResultChecks } from '../netlab-language/netlab-language.ts';
import { recordedLabs, seeRecordedLabs } from '../netlab-language/recorded-labs.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';
import type { LabEntry } from '../status-driver.ts';
import { claimedInstances, remainsOfLab } from './claims.ts';
import { engineInterfaces } from './engine-interfaces.ts';
import { answerOfState, argumentsInNodeOf, engineHome } from './engine-state.ts';
import { engineTopology } from './engine-topology.ts';

const noDevices =
  'its nodes are plain Linux, which "up" gives addresses and routes; there are no devices to configure';

const noProcesses = 'its nodes are network namespaces, which do not run and cannot be stopped';

const engineFile = packageFile('dist', 'engine', 'main.js');

function stateFile(env: Environment): string {
  return path.join(engineHome(env), 'status.json');
}

/** Whether a lab existed before a command that was to start one. */
function isOlder(entry: LabEntry, beganMs: number | null): boolean {
  const atMs = netlabLanguage.status.startOf(entry)?.atMs;
  return beganMs !== null && typeof atMs === 'number' && atMs < beganMs;
}

/**
 * The engine undoes its own work: it enters a lab into its state before it creates anything, and removes the entry when nothing
 * is left. A state that cannot be read, or is longer than that of 199 labs, may have the lab in it.
 */
function mayHaveLeftLab(env: Environment, { directory, beganMs }: UnfinishedRun): boolean {
  try {
    const state = parseJson(readPlainBytesSync(stateFile(env), shortBytes));
    const entries = Object.values(state as Record<string, LabEntry>);
    return entries.some((entry) => entry['dir'] === directory && !isOlder(entry, beganMs));
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** The words before a command in a node; the last of them begin its arguments. */
function inside({ cli, lab, node, isOtherUser }: NodeAddress): readonly string[] {
  const direct = isOtherUser ? undefined : argumentsInNodeOf(lab, node);
  // `connect`, because `exec` takes several nodes and reads a node called `all` as all of them.
  return direct ? ['nsenter', ...direct] : [cli, 'connect', '--instance', lab, node, '--'];
}

/** The nodes are network namespaces, in which programs of this machine run. */
const engineNodes: NodeDriver = {
  inside,
  inNetwork: inside,
  interfaces: engineInterfaces,
  isReadyWhenUp: true,
  runsOnMachine: true,
  log: ({ node }) => {
    throw new AppError(
      'not-supported',
      `${node} is a network namespace of the bundled engine: nothing runs in it by itself, so there is no log`,
    );
  },
  configuration: ({ cli, lab, node }) => ({
    inside: [],
    program: [cli, 'collect', '--instance', lab, '--print', node],
  }),
  // The processes run on this machine and get SIGHUP when the terminal ends, which some of them ignore. Not directly: then Ansible
  // loses the end of a session now and then.
  terminal: ({ cli, lab, node }, { program }) => {
    const shell = [cli, 'connect', '--instance', lab, node];
    return Promise.resolve({ command: program ? [...shell, '--', ...program] : shell, inside: [] });
  },
};

/** Those that the engine has (src/engine/topology/read-nodes.ts); a test compares what is said here with what it refuses. */
const supportedDevices = ['linux', 'linux-router', 'none'];
/** The most frequent unsupported attributes of topologies, nodes and groups. */
const unsupportedAttributes = ['module', 'vlans', 'vrfs', 'components', 'config'];

function textsIn(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string');
}

/** Plugins that change nothing in a lab without routing protocols only come with their module, which is refused. */
function mayBeRefused(plugin: string): boolean {
  return plugin !== 'multilab' && !plugin.includes('.') && plugin !== 'proxy_arp';
}

/**
 * Sentences about unsupported parts of a topology, found with a quick look: `lab create` finds all of them, but takes a hundred
 * times as long.
 */
function unsupportedIn(topology: Mapping, summary: Pick<TopologySummary, 'devices'>): readonly string[] {
  const parts = [topology['nodes'], topology['groups']].flatMap((map) =>
    isMapping(map) ? Object.values(map).filter(isMapping) : [],
  );
  const used = unsupportedAttributes.filter((name) =>
    [topology, ...parts].some((part) => part[name] !== undefined && part[name] !== null),
  );
  const strange = summary.devices.filter((device) => !supportedDevices.includes(device));
  return [
    ...strange.map(
      (device) => `the bundled engine has no device "${device}", but ${supportedDevices.join(', ')}`,
    ),
    ...used.map((name) => `the bundled engine has no "${name}"`),
    ...textsIn(topology['plugin'])
      .filter(mayBeRefused)
      .map((plugin) => `the bundled engine has no plugin "${plugin}"`),
  ];
}

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
  needs: {
    programs: ['ip', 'nsenter', 'unshare', 'flock'],
    kernel: ['veth', 'bridge', 'sch_netem'],
    rights: 'namespaces',
  },
  // It runs the words of a command as they are: there is no shell in between.
  commandArguments: (command) => commandArguments(command, (word) => word),
  // The engine names its options; the reader of a job knows the fields of a request.
  errorSentence: (ending) =>
    netlabLanguage
      .errorSentence(ending)
      .replace(': --plugin multilab --set defaults.multilab.id=<number>', ' ("multilabId")'),
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
  status: { ...netlabLanguage.status, answer: answerOfState },
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
  files: {
    recordedLabs: (env, mayBeOld) => recordedLabs(stateFile(env), mayBeOld),
    seeRecordedLabs: async (env) => seeRecordedLabs(stateFile(env)),
    madeBy,
  },
  stopsWithoutDirectory: true,
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
};

import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { AppError, systemCode } from '../../../lib/app-error.ts';
import { containerConfiguration } from '../container-configuration.ts';
import { containerNodes, terminalIn } from '../container-nodes.ts';
import { whyNoDocker } from '../docker-daemon.ts';
import { findProgram } from '../find-program.ts';
import type { Environment, LabDown, LabDriver, UnfinishedRun } from '../lab-driver.ts';
import { errorSentence } from '../netlab-language/error-sentence.ts';
import { failureLog } from '../netlab-language/errors/failure-log.ts';
import { isErrorReport, refusesToBegin } from '../netlab-language/errors/reported-errors.ts';
import { madeBy } from '../netlab-language/netlab-files.ts';
import {
  checkDown,
  netlabLanguage,
  netlabResultChecks,
  survivedErrors,
} from '../netlab-language/netlab-language.ts';
import { recordedLabs, seeRecordedLabs } from '../netlab-language/recorded-labs.ts';
import { programsOf } from '../netlab-language/topology-files.ts';
import type { Ability } from '../lab-needs.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';
import type { LabRuntime } from '../runtimes-driver.ts';
import type { LabEntry } from '../status-driver.ts';
import { refuseDevices } from './container-devices.ts';
import { nodesOfContainers, remainsOfLab, removeManagementNetwork } from './lab-remains.ts';
import { netlabTopology } from './netlab-topology.ts';
import { checkLab } from './restart-check.ts';
import {
  knownLabsInNamespaces,
  runtimeInForce,
  searchPathInForce,
  standInNetlab,
  standIns,
  whyNoNamespaces,
  withOldFrr,
  withoutStandIns,
} from './runtime.ts';

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
 * error comes before the start, such as that the instance is taken: a `down` would take away the lab of another directory, then.
 * Other programs that speak netlab's language may create no lock.
 */
function mayHaveLeftLab(_env: Environment, { directory, logEnd, beganMs }: UnfinishedRun): boolean {
  try {
    const { mtimeMs } = lstatSync(path.join(directory, 'netlab.lock'));
    return beganMs === null || mtimeMs >= beganMs - fileTimeLagMs;
  } catch (error) {
    return systemCode(error) !== 'ENOENT' || !refusesToBegin(failureLog('up', logEnd).lines);
  }
}

// netsim/utils/status.py.
const stateFile = (env: Environment): string =>
  path.join(env['HOME'] || os.homedir(), '.netlab', 'status.yaml');

/** Whether a lab has that id; when that is unknown, yes. */
async function isListed({ env, instance }: Pick<LabDown, 'env' | 'instance'>): Promise<boolean> {
  try {
    await seeRecordedLabs(stateFile(env));
    return instance === null || recordedLabs(stateFile(env)).has(instance);
  } catch {
    return true;
  }
}

/** With `force`, netlab forgets a lab whose nodes it could not stop, without Docker for example (netsim/cli/down.py, `run`). */
function mayStillRun({ logEnd }: Pick<LabDown, 'logEnd'>): readonly string[] {
  if (!failureLog('down', logEnd).lines.some(isErrorReport)) return [];
  const errors = survivedErrors(logEnd).join('; ');
  return [`nodes of the lab may still run, because netlab went on in spite of this: ${errors}`];
}

const wholeLabs = 'it starts and stops labs as a whole';

/**
 * The container that the node is. netlab's provider `clab` starts containers with containerlab, which gives the network
 * namespace of each the container's name (netsim/providers/clab/__init__.py, capture_command).
 * @throws AppError `not-supported` for any other node: a program in a virtual machine is reached through the command line
 * of its device, which reads words in a way of its own.
 */
function containerOf({ node, entry }: NodeAddress, what: string): string {
  const { provider, provider_name: container } = entry;
  if (provider === 'clab' && typeof container === 'string' && container !== '') return container;
  throw new AppError(
    'not-supported',
    `${node} is no container (its provider is ${typeof provider === 'string' ? provider : 'not known'}): ${what}`,
  );
}

/** The words of a list that Python has printed. */
function wordsOf(list: string): string[] {
  const words = [...list.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)];
  return words.map(([, single, double]) => (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'));
}

/** `DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'bash', '-il']` (netsim/cli/connect.py, docker_connect). */
function shellOf(dryRun: string, container: string): readonly string[] | undefined {
  const words = wordsOf(/^DRY RUN: \[(.*)\]$/m.exec(dryRun)?.[1] ?? '');
  const shell = words.includes(container) ? words.slice(words.indexOf(container) + 1) : [];
  return words.slice(0, 2).join(' ') === 'docker exec' && shell.length > 0 ? shell : undefined;
}

const hasContainers = ({ providers }: LabEntry): boolean =>
  Array.isArray(providers) && providers.includes('clab');

/** Until its containers are there, it may become either. */
function runtimeOfLab(entry: LabEntry): LabRuntime | null {
  if (!hasContainers(entry)) return null;
  const { directoryOf, stateOf } = netlabLanguage.status;
  if (knownLabsInNamespaces().has(directoryOf(entry) ?? '')) return 'namespaces';
  // The records of an ordinary user's labs are in the user namespace.
  if (process.getuid?.() !== 0) return null;
  return stateOf(entry) === 'started' ? 'containers' : null;
}

const ways = containerNodes(containerOf);

/** Containers are entered as netlab itself does it: with Docker, and `ip netns`. */
const netlabNodes: NodeDriver = {
  ...ways,
  // `netlab up --reload-config` configures no other node (netsim/cli/config.py, reload_node_configs).
  afterReload: 'initial',
  configuration: (address) => {
    const inside = ['docker', 'exec', '--interactive', containerOf(address, 'run "collect" as a job')];
    return containerConfiguration(address.node, address.entry['device'], inside);
  },
  terminal: async (address, wanted, look) => {
    const { cli, lab, node, entry } = address;
    const connect = [cli, 'connect', '--instance', lab];
    if (wanted.program !== undefined) {
      const container = containerOf(address, 'open a terminal without a command');
      return { command: terminalIn(container, wanted, []), inside: ways.inside(address) };
    }
    if (entry['provider'] !== 'clab') return { command: [...connect, node], inside: [] };
    const container = containerOf(address, '');
    // Which shell its devices have is known to netlab alone.
    const shell = shellOf(await look([...connect, '--dry-run', node]), container);
    if (shell === undefined) return { command: [...connect, node], inside: [] };
    return { command: terminalIn(container, wanted, shell), inside: ways.inside(address) };
  },
};

/** One provider that works is enough: which of them a lab uses is for its topology to say. */
async function abilityOfProviders(env: Environment): Promise<Ability> {
  const all = Object.entries(programsOf);
  const machine = withoutStandIns(env);
  const isThere = (program: string): boolean => findProgram(program, machine) !== undefined;
  const installed = all.filter(([, programs]) => programs.every(isThere)).map(([name]) => name);
  if (whyNoNamespaces(env) === undefined) return { isAble: true, lacks: [] };
  if (installed.length === 0) {
    const wanted = all.map(([name, programs]) => `${name} (${programs.join(', ')})`);
    return { isAble: false, lacks: [`none of its providers is installed: ${wanted.join(', ')}`] };
  }
  const problem = installed.includes('clab') ? await whyNoDocker(env) : undefined;
  if (problem === undefined) return { isAble: true, lacks: [] };
  return { isAble: installed.length > 1, lacks: [`provider clab does not work: ${problem}`] };
}

/** netlab, and every program that speaks its language except the bundled engine. */
export const netlab: LabDriver = {
  ...netlabLanguage,
  name: 'netlab',
  isBundled: false,
  find: (env) => findProgram('netlab', withoutStandIns(env)),
  recognizes: (file) => path.basename(file) === 'netlab',
  standIns,
  runtimes: { inForce: runtimeInForce, searchPath: searchPathInForce, of: runtimeOfLab },
  needs: {
    ability: abilityOfProviders,
    docker: 'for-some-labs',
    programs: [],
    kernel: ['veth', 'bridge', 'sch_netem', 'dummy', 'vrf', '8021q', 'bonding', 'vxlan', 'mpls_router'],
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
  programs: { 'restart-nodes': standInNetlab },
  errorSentence: (ending) => withOldFrr(errorSentence(ending), ending, knownLabsInNamespaces()),
  checkLab: async (asked) => {
    await refuseDevices(asked, asked.env);
    return checkLab(asked);
  },
  instancesToAvoid: idsOfManagementBridges,
  resultChecks: {
    ...netlabResultChecks,
    'lab-is-gone': async (claim) => checkDown(claim, async () => remainsOfLab(claim)),
  },
  leftBehind: async (down) => [
    ...mayStillRun(down),
    ...(await removeManagementNetwork(down, async () => isListed(down))),
  ],
  unsupported: { 'start-nodes': wholeLabs, 'stop-nodes': wholeLabs },
  mayHaveLeftLab,
  status: {
    ...netlabLanguage.status,
    unlistedNodes: async (entry, look) => {
      const workdir = netlabLanguage.status.directoryOf(entry);
      return hasContainers(entry) && workdir !== undefined ? nodesOfContainers({ workdir, look }) : [];
    },
  },
  nodes: netlabNodes,
  topology: netlabTopology,
  files: {
    recordedLabs: (env, mayBeOld) => recordedLabs(stateFile(env), mayBeOld),
    seeRecordedLabs: async (env) => seeRecordedLabs(stateFile(env)),
    madeBy,
  },
  stateFile,
  stateDirectory: (env) => path.dirname(stateFile(env)),
};

/** containerlab (https://containerlab.dev): its labs are containers of Docker, identified by their names. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { AppError } from '../../../lib/app-error.ts';
import { containerConfiguration } from '../container-configuration.ts';
import { containerNodes, terminalIn } from '../container-nodes.ts';
import { whyNoDocker } from '../docker-daemon.ts';
import { findProgram } from '../find-program.ts';
import { specOf, type Action } from '../../model/actions.ts';
import type { CliOptionValues } from '../../model/options.ts';
import type { LabDriver, MadeFiles, UnfinishedRun } from '../lab-driver.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';
import {
  checkOptions,
  collectDirectory,
  commandArguments,
  options,
  unsupported,
  words,
} from './arguments.ts';
import { containerlabStatus } from './containerlab-status.ts';
import { containerlabTopology } from './containerlab-topology.ts';
import { errorSentence, lastError } from './error-sentence.ts';
import { doubtOfExec } from './exec-outcome.ts';
import { checkLab } from './lab-check.ts';
import { leftBehind, remainsOfLab } from './left-behind.ts';
import { whyNotStarted, whyNotStopped } from './node-checks.ts';
import { nodeOutputReader } from './node-output-reader.ts';
import { instanceOf, topologyFiles } from './topology-files.ts';

/** As its last word: it ended before it began anything. */
const refusals = /requires root privileges|Lab '[^']*' not found|Unknown flag|is not present in the topology/;
/** Of `redeploy`, which reads the file again when it has destroyed the lab, it may be the last word after that. */
const unreadable = /Failed to read topology file/;
/** An error as its first word, which `INFO` comes before as soon as it destroys anything. */
const nothingBefore = /^\s*ERROR\s/;

/**
 * It says before each thing that it makes that it makes it; without a word of the kind, nothing was made. One that was asked to
 * be quiet has no such words (`INFO`), and fails half-way without them.
 */
function mayHaveLeftLab(_env: unknown, { action, logEnd, isQuiet }: UnfinishedRun): boolean {
  const { changesNodes, restartsLab } = specOf(action);
  const log = plain(logEnd);
  const error = lastError(log);
  const isFirstRead = restartsLab !== true || (!isQuiet && nothingBefore.test(log));
  const isRefused = error !== undefined && (refusals.test(error) || (isFirstRead && unreadable.test(error)));
  // Of a node that it stops it says nothing; and one that it was stopping when it was ended runs on without links (0.79).
  if (changesNodes === true) return !isRefused;
  if (/\b(?:Creat|Destroy|Remov|Start|Stopp)(?:ing|ed)\b(?! version)/.test(log)) return true;
  if (isRefused || (error !== undefined && / INFO /.test(log))) return false;
  // The lost part of the output may have said so.
  return !/Parsing & checking topology/.test(log);
}

/** The files that actions make, by action; all other actions make none. */
const makers: Readonly<Partial<Record<Action, (given: CliOptionValues) => readonly MadeFiles[]>>> = {
  collect: ({ collectOutput = collectDirectory }) => [{ kind: 'directory', path: collectOutput }],
};

/** @throws AppError `not-supported` for a node that is a bridge of this machine, say. */
function containerOf({ node, entry }: NodeAddress): string {
  const { container } = entry;
  if (typeof container === 'string' && container !== '') return container;
  throw new AppError('not-supported', `${node} is no container`);
}

/** The command of the device's command line, by kind (https://containerlab.dev/manual/kinds/); all other kinds have a shell. */
const shells = new Map<unknown, readonly string[]>([
  ['nokia_srlinux', ['sr_cli']],
  ['srl', ['sr_cli']],
  ['arista_ceos', ['Cli']],
  ['ceos', ['Cli']],
  ['juniper_crpd', ['cli']],
  ['crpd', ['cli']],
]);

/** The best shell that there is. */
const anyShell = ['sh', '-c', 'command -v bash >/dev/null && exec bash -il; exec sh -il'] as const;

const ways = containerNodes(containerOf);

const containerlabNodes: NodeDriver = {
  ...ways,
  configuration: (address) =>
    containerConfiguration(address.node, address.entry['kind'], ways.inside(address)),
  terminal: async (address, wanted) => {
    const shell = shells.get(address.entry['kind']) ?? anyShell;
    const command = terminalIn(containerOf(address), wanted, shell);
    return Promise.resolve({ command, inside: ways.inside(address) });
  },
};

function notSupported(what: string): never {
  throw new AppError('not-supported', `containerlab has no ${what}`);
}

export const containerlab: LabDriver = {
  name: 'containerlab',
  isBundled: false,
  find: (env) => findProgram('containerlab', env),
  recognizes: (file) => ['containerlab', 'clab'].includes(path.basename(file)),
  runtimes: {
    inForce: () => ({ runtime: 'containers', why: 'containerlab has no other' }),
    of: () => 'containers',
  },
  versionArguments: ['version'],
  needs: {
    ability: async (env) => {
      const problem = ['docker', ''].includes(env['CLAB_RUNTIME'] ?? '') ? await whyNoDocker(env) : undefined;
      return { isAble: problem === undefined, lacks: problem === undefined ? [] : [problem] };
    },
    docker: 'for-all-labs',
    programs: [],
    kernel: ['veth', 'bridge', 'sch_netem', 'dummy', 'vxlan'],
    rights: { suidFor: 'clab_admins' },
  },
  options,
  commandArguments,
  words,
  // Else the files of a lab would go beside its topology, which may be a template, or kept with the job.
  jobEnvironment: (workdir) => ({ CLAB_LABDIR_BASE: workdir, CLAB_VERSION_CHECK: 'disable' }),
  checkOptions,
  checkLab,
  hasOneLabOfAName: true,
  stopsWithoutDirectory: true,
  topologies: topologyFiles,
  instanceOf,
  instancesToAvoid: () => Promise.resolve([]),
  // Each `deploy` ends with it: told not to look for newer versions (`CLAB_VERSION_CHECK`), it reports that as a failure (0.79).
  nonProgress: /\bFailed fetching latest version information$/,
  errorSentence,
  resultChecks: {
    'lab-is-gone': async (claim) => {
      // It goes on after an error, and leaves out what comes next: the network of the lab, say.
      const [, stopped] =
        /\bERRO (Error occurred during the .* lab deletion: .*)$/m.exec(plain(claim.logEnd)) ?? [];
      if (stopped !== undefined) return `not all of the lab was taken down: ${stopped}`;
      if (claim.dryRun || claim.ofSomeNodes) return undefined;
      const remains = await remainsOfLab(claim);
      return remains && `the lab was not stopped: there are still ${remains}; see the log`;
    },
    // It fails by itself where there is none.
    'lab-was-found': () => Promise.resolve(undefined),
    'nodes-have-started': whyNotStarted,
    'nodes-have-stopped': whyNotStopped,
  },
  isSuccess: (_action, exitCode) => exitCode === 0,
  doubt: doubtOfExec,
  leftBehind,
  outputReaders: { tests: () => notSupported('tests of labs'), outputs: nodeOutputReader },
  unsupported,
  mayHaveLeftLab,
  status: containerlabStatus,
  tests: { list: () => notSupported('tests of labs') },
  nodes: containerlabNodes,
  topology: containerlabTopology,
  files: { madeBy: (action, given) => makers[action]?.(given) ?? [] },
  // It puts a file for each lab there, and takes it away again.
  stateFile: () => (existsSync('/etc/ssh/ssh_config.d') ? '/etc/ssh/ssh_config.d' : '/etc/hosts'),
  stateDirectory: (env) => path.join(env['HOME'] || os.homedir(), '.clab'),
  watch: {
    arguments: ['events', '--format', 'json'],
    isChange: (line) => line.includes('"type":"container"') && !/"action":"exec_/.test(line),
  },
};

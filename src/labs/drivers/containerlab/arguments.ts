/** The commands of containerlab, and their arguments for the options of a job (https://containerlab.dev/cmd/deploy/, 0.79). */
import { invalidField } from '../../../lib/app-error.ts';
import { specOf, type Action } from '../../model/actions.ts';
import type { OptionName } from '../../model/option-kinds.ts';
import type { CliOptionValues } from '../../model/options.ts';
import { checkBelowWorkdir } from '../contained-path.ts';
import type { LabCommand, LabDriver } from '../lab-driver.ts';

const talking = ['quiet', 'verbose'] as const;
const ofNodes = ['nodes', 'vars', 'nodeWaitSeconds', ...talking] as const;

export const options: LabDriver['options'] = {
  up: [
    'dryRun',
    'reconfigure',
    'nodeFilter',
    'maxWorkers',
    'vars',
    'skipPostDeploy',
    'exportTemplate',
    ...talking,
  ],
  create: ['nodeFilter', 'vars', ...talking],
  // `force` asks to remove a half-started lab; `destroy` continues after errors anyway.
  down: ['cleanup', 'force', 'nodeFilter', 'maxWorkers', 'vars', 'graceful', 'keepMgmtNet', 'verbose'],
  collect: ['collectOutput', 'nodeFilter', ...talking],
  status: [],
  restart: ['cleanup', 'graceful', 'maxWorkers', 'vars', 'skipPostDeploy', ...talking],
  validate: [],
  initial: [],
  config: [],
  exec: ['nodes', 'command'],
  scenario: [],
  'start-nodes': ofNodes,
  'stop-nodes': ofNodes,
  'restart-nodes': ofNodes,
};

export const unsupported = {
  validate: 'its labs have no tests of their own',
  initial: 'the kinds of its nodes configure them when they start',
  config:
    'it deploys no configuration templates; write one into the node with "exec", or a file that it mounts',
} as const satisfies LabDriver['unsupported'];

/** Those that it calls by another name than we do. */
export const words = {
  up: ['deploy'],
  create: ['deploy', '--dry-run'],
  down: ['destroy'],
  collect: ['save'],
  status: ['inspect'],
  restart: ['redeploy'],
  'start-nodes': ['start'],
  'stop-nodes': ['stop'],
  'restart-nodes': ['restart'],
} as const satisfies Partial<Record<Action, readonly string[]>>;

const flags = {
  dryRun: '--dry-run',
  reconfigure: '--reconfigure',
  nodeFilter: '--node-filter',
  maxWorkers: '--max-workers',
  vars: '--vars',
  skipPostDeploy: '--skip-post-deploy',
  exportTemplate: '--export-template',
  cleanup: '--cleanup',
  graceful: '--graceful',
  keepMgmtNet: '--keep-mgmt-net',
  nodeWaitSeconds: '--timeout',
  quiet: '--log-level=warn',
  verbose: '--debug',
} as const satisfies Partial<Record<OptionName, string>>;

type Flagged = keyof typeof flags;

/** The default directory for the files of `collect`, the same as netlab's. */
export const collectDirectory = 'config';

function argumentsOf(name: Flagged, given: NonNullable<CliOptionValues[Flagged]>): readonly string[] {
  if (typeof given === 'boolean') return given ? [flags[name]] : [];
  if (name === 'nodeWaitSeconds') return [flags[name], `${String(given)}s`];
  return [flags[name], typeof given === 'object' ? given.join(',') : String(given)];
}

/**
 * A command line for `exec`, which containerlab takes apart again as a shell would, by quotes and backslashes and no more
 * (github.com/google/shlex).
 */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** Without a word about nodes, all of them are meant. */
function chosenNodes({ options: { nodes = [] } }: LabCommand): readonly string[] {
  return nodes.includes('*') ? [] : ['--node', [...new Set(nodes)].join(',')];
}

/** The further arguments of an action. */
const ownArguments: Readonly<Partial<Record<Action, (command: LabCommand) => readonly string[]>>> = {
  collect: ({ options: given }) => ['--copy', given.collectOutput ?? collectDirectory],
  exec: ({ instance, options: given }) => {
    const [node = '*'] = given.nodes ?? [];
    // It takes no notice of `--name`: by that alone, the command would run in every container of every lab of the machine.
    const ofLab = ['--label', `containerlab=${instance}`];
    const ofNode = node === '*' ? [] : ['--label', `clab-node-name=${node}`];
    return [...ofLab, ...ofNode, '--format', 'json', '--cmd', (given.command ?? []).map(quoted).join(' ')];
  },
  'start-nodes': chosenNodes,
  'stop-nodes': chosenNodes,
  'restart-nodes': chosenNodes,
};

/** The placeholder for a name when a request names no lab. */
const everyLab: Readonly<Partial<Record<Action, readonly string[]>>> = { status: ['--all'] };

/**
 * `redeploy` knows a lab by its name no more when it has destroyed it; `destroy` knows one without containers by its
 * topology alone, for the files that it has left; and for `start`, `stop` and `restart`, a lab whose topology is not found has
 * no nodes: they do nothing, and end with 0.
 */
function whichLab({ action, topologyFile, instance, labFile, isListed }: LabCommand): readonly string[] {
  const { restartsLab, changesNodes } = specOf(action);
  const needsFile = restartsLab === true || changesNodes === true || !isListed;
  const file = topologyFile ?? (needsFile ? labFile : undefined);
  // `deploy` gives the lab the name that was checked, whatever the file says by then. The others go by the file alone.
  const name = instance === null ? [] : ['--name', instance];
  if (file !== undefined) return ['--topo', file, ...name];
  return instance === null ? (everyLab[action] ?? []) : name;
}

export function commandArguments(command: LabCommand): readonly string[] {
  const { action, options: given } = command;
  const name = action in words ? words[action as keyof typeof words] : [action];
  const flagged = (Object.keys(flags) as Flagged[]).filter((flag) => options[action].includes(flag));
  return [
    ...name,
    ...whichLab(command),
    ...flagged.flatMap((flag) => {
      const value = given[flag];
      return value === undefined ? [] : argumentsOf(flag, value);
    }),
    ...(ownArguments[action]?.(command) ?? []),
  ];
}

/** A node as topologies name it, or a lab. A comma would be two, and a label with a blank none. */
const plainName = /^[\w.-]+$/;

function checkNodes({ nodes = [], command }: CliOptionValues): void {
  const [node = '*', ...others] = nodes;
  if (node === '*' && others.length === 0) return;
  if (command !== undefined && others.length > 0)
    throw invalidField(
      'nodes',
      'must be one node, or "*" for all: containerlab runs a command in one or in all',
    );
  if (!nodes.every((name) => plainName.test(name)))
    throw invalidField('nodes', 'must be names of nodes, or "*" alone for all');
}

/** @throws AppError `invalid-request` about a value that containerlab must not be given. `workdir` is a real path. */
export async function checkOptions(given: CliOptionValues, workdir: string): Promise<void> {
  for (const name of given.nodeFilter ?? [])
    if (!plainName.test(name)) throw invalidField('nodeFilter', 'may hold only names of nodes');
  if (given.command !== undefined && !plainName.test(given.instance ?? 'x'))
    throw invalidField('instance', 'is no name that a lab of containerlab can have');
  checkNodes(given);
  if (given.collectOutput !== undefined)
    await checkBelowWorkdir(workdir, given.collectOutput, 'collectOutput');
}

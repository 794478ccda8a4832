/**
 * The options of all actions, in one table: the name in a request, the kind of value, and the description. A new option
 * takes an entry here, its name in the entries of its actions (actions.ts), its flag in the driver of each lab CLI that
 * has it, and a line in the documentation. options.ts says which values a kind may have. This file does without zod,
 * because the command line needs the table at every start.
 */

/** A kind of value: argument lists, forms and checks treat values by their kind. */
export type OptionKind =
  | 'flag'
  | 'value'
  | 'number'
  | 'list'
  /** The words of a command line; they may look like options. */
  | 'command'
  | 'settings'
  | 'multilab'
  | 'file-below-workdir'
  | 'file'
  /** With a `/` in it the path of a file or a directory, else a name that the lab CLI looks up. */
  | 'template'
  | 'directory';

export interface CliOption {
  readonly kind: OptionKind;
  /** Of a number: the highest value. */
  readonly max?: number;
  /** For readers of the API; the actions that take the option are added. The text before `(` is help for the command line. */
  readonly description: string;
}

export const cliOptions = {
  device: { kind: 'value', description: 'The device type of nodes that name none (`--device`).' },
  provider: { kind: 'value', description: 'The provider of the nodes: `clab`, `libvirt`, … (`--provider`).' },
  plugin: {
    kind: 'list',
    description: 'Plugins of the lab CLI to load (`--plugin`); one may be plain text.',
  },
  set: {
    kind: 'settings',
    description: 'Topology attributes to set, by their dotted names (`--set`); at most 200.',
  },
  multilabId: {
    kind: 'multilab',
    description:
      'Runs several labs at once (the multilab plugin): the id of this lab. `auto` takes a free one, with up only. Default: `LAB_API_MULTILAB_ID`.',
  },
  output: {
    kind: 'list',
    description: 'Which files to make, as `format:option=file` inside the working directory (`--output`).',
  },
  noConfig: { kind: 'flag', description: 'Starts the nodes without configuring them (`--no-config`).' },
  reloadConfig: {
    kind: 'directory',
    description: 'A directory with collected configurations to start from (`--reload-config`).',
  },
  noTools: { kind: 'flag', description: 'Does not start external tools (`--no-tools`).' },
  fastConfig: { kind: 'flag', description: 'Configures the nodes in parallel (`--fast-config`).' },
  cleanup: { kind: 'flag', description: 'Also removes the files that the lab CLI made (`--cleanup`).' },
  force: { kind: 'flag', description: 'Goes on in spite of errors and locks (`--force`).' },
  dryRun: { kind: 'flag', description: 'Prints the commands and runs none (`--dry-run`).' },
  instance: {
    kind: 'value',
    description: 'The lab instance, as the status calls it (`--instance`); without `/`.',
  },
  collectOutput: {
    kind: 'file-below-workdir',
    description: 'The directory for the configurations, inside the working directory (`--output`).',
  },
  collectSuffix: { kind: 'value', description: 'The end of the names of collected files (`--suffix`).' },
  collectTar: {
    kind: 'file-below-workdir',
    description: 'The tar archive for the configurations, inside the working directory (`--tar`).',
  },
  collectCleanup: {
    kind: 'flag',
    description: 'Removes the directory once the archive is made (`--cleanup`).',
  },
  snapshot: {
    kind: 'flag',
    description: 'Starts the lab from its snapshot, without a topology (`--snapshot`).',
  },
  tests: {
    kind: 'list',
    description: 'Which tests to run, by name or regular expression; all of them when not given.',
  },
  nodes: {
    kind: 'list',
    description:
      'On which nodes, by their names; `exec` also takes groups and patterns such as `r*`. `*` alone is all of them, with `exec`, `start-nodes`, `stop-nodes` and `restart-nodes` (`--node`).',
  },
  skipWait: { kind: 'flag', description: 'Does not wait for anything to come up (`--skip-wait`).' },
  errorOnly: { kind: 'flag', description: 'Prints failed tests only (`--error-only`).' },
  testSource: {
    kind: 'file',
    description: 'A YAML file with tests to run in place of those of the lab (`--source`).',
  },
  scenarioPath: {
    kind: 'file',
    description: 'A YAML file with the scenario, inside the working directory.',
  },
  template: {
    kind: 'template',
    description:
      'The configuration template: the path of a file or directory, or a name that netlab looks up.',
  },
  limit: {
    kind: 'value',
    description: 'On which nodes: names, groups and patterns, separated by commas (`--limit`).',
  },
  command: {
    kind: 'command',
    description: 'The command and its arguments, one by one, such as `["ping", "-c1", "h2"]`.',
  },
  reconfigure: {
    kind: 'flag',
    description:
      'Creates the nodes and their files again if the lab exists (`--reconfigure`). With containerlab only.',
  },
  nodeFilter: {
    kind: 'list',
    description:
      'The names of the nodes to start or stop; other nodes are left alone (`--node-filter`). With containerlab only.',
  },
  maxWorkers: {
    kind: 'number',
    max: 1000,
    description: 'How many nodes at a time (`--max-workers`). With containerlab only.',
  },
  vars: {
    kind: 'file',
    description:
      'A file with the variables of a topology that is a template (`--vars`). With containerlab only.',
  },
  skipPostDeploy: {
    kind: 'flag',
    description:
      'Skips the post-deploy actions of the kinds of the nodes (`--skip-post-deploy`). With containerlab only.',
  },
  exportTemplate: {
    kind: 'file',
    description: 'The template for the exported topology data (`--export-template`). With containerlab only.',
  },
  graceful: {
    kind: 'flag',
    description: 'Stops the nodes before it removes them (`--graceful`). With containerlab only.',
  },
  keepMgmtNet: {
    kind: 'flag',
    description: 'Leaves the management network (`--keep-mgmt-net`). With containerlab only.',
  },
  nodeWaitSeconds: {
    kind: 'number',
    max: 3600,
    description:
      'How long Docker may take for a node, in seconds (`--timeout`): one that has not stopped by then is killed. With containerlab only.',
  },
  quiet: { kind: 'flag', description: 'Prints less (`--quiet`).' },
  verbose: { kind: 'flag', description: 'Prints more (`--verbose`).' },
} as const satisfies Record<string, CliOption>;

export type OptionName = keyof typeof cliOptions;

export const optionNames = Object.keys(cliOptions) as readonly OptionName[];

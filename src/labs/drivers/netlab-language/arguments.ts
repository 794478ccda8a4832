import { passesInstanceOn, type Action } from '../../model/actions.ts';
import type { OptionName } from '../../model/option-kinds.ts';
import type { CliOptionValues } from '../../model/options.ts';
import type { LabCommand, LabDriver } from '../lab-driver.ts';

/** netlab's flag for each option, in the order in which they stand in an argument list. */
export const flags = {
  device: '--device',
  provider: '--provider',
  plugin: '--plugin',
  set: '--set',
  multilabId: '--set',
  output: '--output',
  noConfig: '--no-config',
  reloadConfig: '--reload-config',
  noTools: '--no-tools',
  fastConfig: '--fast-config',
  cleanup: '--cleanup',
  force: '--force',
  dryRun: '--dry-run',
  instance: '--instance',
  collectOutput: '--output',
  collectSuffix: '--suffix',
  collectTar: '--tar',
  collectCleanup: '--cleanup',
  snapshot: '--snapshot',
  nodes: '--node',
  skipWait: '--skip-wait',
  errorOnly: '--error-only',
  testSource: '--source',
  limit: '--limit',
  quiet: '-q',
  verbose: '-v',
} as const satisfies Partial<Record<OptionName, string>>;

const creating = ['device', 'provider', 'plugin', 'set', 'multilabId'] as const;
const talking = ['quiet', 'verbose'] as const;

/** The options of netlab's commands (netsim/cli). */
export const netlabOptions: LabDriver['options'] = {
  up: [...creating, 'noConfig', 'reloadConfig', 'noTools', 'fastConfig', 'dryRun', 'snapshot', ...talking],
  create: [...creating, 'output', ...talking],
  down: ['cleanup', 'force', 'dryRun', 'verbose'],
  collect: ['collectOutput', 'collectSuffix', 'collectTar', 'collectCleanup', ...talking],
  status: [],
  restart: ['noConfig', 'fastConfig', ...talking],
  validate: ['tests', 'nodes', 'skipWait', 'errorOnly', 'testSource', 'verbose'],
  initial: ['limit', ...talking],
  config: ['template', 'limit', ...talking],
  exec: ['nodes', 'command'],
  scenario: [],
  'start-nodes': [],
  'stop-nodes': [],
  'restart-nodes': ['nodes', ...talking],
};

/** An option that has a flag. */
type Flagged = keyof typeof flags;

const flagOrder = Object.keys(flags) as readonly Flagged[];

/**
 * Options that netlab takes by their place: behind the action, in this order. Of `exec`, all that stands behind the node is
 * the command, and `--` keeps netlab from taking a part of it for its own (argparse: it ends the options, and is dropped).
 */
const inPlace: Readonly<Partial<Record<Action, (options: CliOptionValues, asWord: AsWord) => Places>>> = {
  validate: ({ tests = [] }) => ({ first: tests }),
  config: ({ template }) => ({ first: template === undefined ? [] : [template] }),
  exec: ({ nodes = [], command = [] }, asWord) => ({
    first: ['--header'],
    last: ['--', nodes.join(','), ...command.map(asWord)],
    flagless: ['nodes'],
  }),
};

interface Places {
  readonly first: readonly string[];
  readonly last?: readonly string[];
  /** Options that are said in these places, not by their flag. */
  readonly flagless?: readonly OptionName[];
}

/** A word of a command for a node, as it has to stand in the argument list. */
type AsWord = (word: string) => string;

/** Characters that mean nothing to a shell, wherever they stand. */
const plainWord = /^[\w@%+=:,./-]+$/;

/**
 * A word as the shell in a node has to get it, to make the same word of it. netlab joins the words by blanks for that shell
 * (netsim/cli/connect.py, `docker_connect`; OpenSSH does so too, ssh(1)), and puts those with a blank into double quotes
 * (`quote_list`). Devices with a command line of their own take plain words, as most are, and know no quotes.
 */
function wordForShell(word: string): string {
  if (word.includes(' ')) return word.replaceAll(/[\\"$`]/g, '\\$&');
  return plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The placeholder for `--instance` when a request names no instance. */
const everyInstance: Readonly<Partial<Record<Action, string>>> = { status: '--all' };

/** A value becomes what its type says: a switch, one value, a list of values, or a list of settings. */
function argumentsOf(name: Flagged, given: NonNullable<CliOptionValues[OptionName]>): string[] {
  const flag = flags[name];
  if (typeof given === 'boolean') return given ? [flag] : [];
  if (typeof given !== 'object') {
    const setting = `defaults.multilab.id=${given}`;
    return name === 'multilabId' ? ['--plugin', 'multilab', flag, setting] : [flag, String(given)];
  }
  const values = Array.isArray(given)
    ? given
    : Object.entries(given).map(([key, setting]) => `${key}=${setting}`);
  if (name === 'nodes') return [flag, values.join(',')];
  return values.flatMap((entry) => [flag, entry]);
}

/**
 * netlab's arguments, program excluded. `topologyFile` is absolute, so it cannot be taken for an option; it comes first
 * because netlab's `--snapshot` takes an optional value and would swallow it.
 */
export function buildArguments(
  action: Action,
  options: CliOptionValues,
  topologyFile?: string,
  asWord: AsWord = wordForShell,
): string[] {
  const args: string[] = [action];
  if (topologyFile !== undefined) args.push(topologyFile);
  const every = everyInstance[action];
  if (every !== undefined && options.instance === undefined) args.push(every);
  const { first = [], last = [], flagless = [] } = inPlace[action]?.(options, asWord) ?? {};
  args.push(...first);
  for (const name of flagOrder) {
    const given = options[name];
    const isMeant =
      name === 'instance'
        ? passesInstanceOn(action)
        : netlabOptions[action].includes(name) && !flagless.includes(name);
    if (given !== undefined && isMeant) args.push(...argumentsOf(name, given));
  }
  args.push(...last);
  return args;
}

/** The arguments of a command. The name of a lab whose topology gives it none is one more setting, unless the client set it. */
export function commandArguments(
  { action, options, topologyFile, labName }: LabCommand,
  asWord: AsWord = wordForShell,
): string[] {
  const isNamed = labName === undefined || options.set?.['name'] !== undefined;
  const named = isNamed ? options : { ...options, set: { name: labName, ...options.set } };
  return buildArguments(action, named, topologyFile, asWord);
}

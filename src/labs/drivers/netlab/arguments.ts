import { belongsTo, passesInstanceOn, type Action } from '../../actions.ts';
import type { OptionName } from '../../option-kinds.ts';
import type { CliOptionValues } from '../../options.ts';
import type { LabCommand } from '../lab-driver.ts';

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
  quiet: '-q',
  verbose: '-v',
} as const satisfies Record<OptionName, string>;

const flagOrder = Object.keys(flags) as readonly OptionName[];

/** What stands in the place of `--instance` when a request names none. */
const everyInstance: Readonly<Partial<Record<Action, string>>> = { status: '--all' };

/** A value becomes what its type says: a switch, one value, a list of values, or a list of settings. */
function argumentsOf(name: OptionName, given: NonNullable<CliOptionValues[OptionName]>): string[] {
  const flag = flags[name];
  if (typeof given === 'boolean') return given ? [flag] : [];
  if (typeof given !== 'object') {
    const setting = `defaults.multilab.id=${given}`;
    return name === 'multilabId' ? ['--plugin', 'multilab', flag, setting] : [flag, String(given)];
  }
  const values = Array.isArray(given)
    ? given
    : Object.entries(given).map(([key, setting]) => `${key}=${setting}`);
  return values.flatMap((entry) => [flag, entry]);
}

/**
 * netlab's arguments, program excluded. `topologyFile` is absolute, so it cannot be taken for an option; it comes first
 * because netlab's `--snapshot` takes an optional value and would swallow it.
 */
export function buildArguments(action: Action, options: CliOptionValues, topologyFile?: string): string[] {
  const args: string[] = [action];
  if (topologyFile !== undefined) args.push(topologyFile);
  const every = everyInstance[action];
  if (every !== undefined && options.instance === undefined) args.push(every);
  for (const name of flagOrder) {
    const given = options[name];
    const isMeant = name === 'instance' ? passesInstanceOn(action) : belongsTo(name, action);
    if (given !== undefined && isMeant) args.push(...argumentsOf(name, given));
  }
  return args;
}

/** The arguments of a command. The name of a lab whose topology gives it none is one more setting, unless the client set it. */
export function commandArguments({ action, options, topologyFile, labName }: LabCommand): string[] {
  const isNamed = labName === undefined || options.set?.['name'] !== undefined;
  const named = isNamed ? options : { ...options, set: { name: labName, ...options.set } };
  return buildArguments(action, named, topologyFile);
}

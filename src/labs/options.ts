/**
 * The options of every action, in one table. Validation, the lab CLI's arguments and the API's documentation are all
 * derived from it, so a new option of netlab is one new line here.
 */
import { z } from 'zod';
import type { Action } from './actions.ts';

const maxValueLength = 4096;
const maxSettings = 200;

/** Why a client's string cannot stand in an argument list, or undefined when it can. */
function badValue(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (value.startsWith('-')) return 'must not start with "-": it would be read as an option';
  if (value.includes('\0')) return 'must not contain a NUL byte';
  if (value.length > maxValueLength) return `must not be longer than ${maxValueLength} characters`;
  return undefined;
}

function checkValue(value: string, context: z.RefinementCtx<string>): void {
  const problem = badValue(value);
  if (problem !== undefined) context.addIssue(problem);
}

const value = z.string().superRefine(checkValue);

/** One string or several: `"plugin": "bgp.session"` and `"plugin": ["bgp.session"]` mean the same. */
const valueList = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(value).max(100),
);

const scalarText = z
  .string()
  .max(maxValueLength)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL byte');

/** Dotted netlab attribute → scalar. `=` would end the key early. */
const settings = z
  .record(
    value.refine((key) => !key.includes('='), 'a key must not contain "="'),
    z.union([scalarText, z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' }),
  )
  .refine((pairs) => Object.keys(pairs).length <= maxSettings, `at most ${maxSettings} entries`);

const instance = z
  .union([z.string(), z.int()], { error: 'must be a string or a whole number' })
  .transform(String)
  .pipe(value.refine((id) => !id.includes('/'), 'must not contain "/"'));

const multilabRange = 'must be a whole number from 1 to 200';
const multilabId = z.int(multilabRange).min(1, multilabRange).max(200, multilabRange);

/** How an option's value becomes arguments. */
type OptionKind = 'flag' | 'value' | 'list' | 'settings' | 'multilab' | 'file-below-workdir' | 'directory';

interface CliOption {
  readonly kind: OptionKind;
  readonly flag: string;
  readonly actions: readonly Action[];
  readonly schema: z.ZodType;
}

const flag = (name: string, ...of: Action[]) =>
  ({ kind: 'flag', flag: name, actions: of, schema: z.boolean() }) as const;
const text = (name: string, ...of: Action[]) =>
  ({ kind: 'value', flag: name, actions: of, schema: value }) as const;
const texts = (name: string, ...of: Action[]) =>
  ({ kind: 'list', flag: name, actions: of, schema: valueList }) as const;
const below = (name: string, ...of: Action[]) =>
  ({ kind: 'file-below-workdir', flag: name, actions: of, schema: value }) as const;

export const cliOptions = {
  device: text('--device', 'up', 'create'),
  provider: text('--provider', 'up', 'create'),
  plugin: texts('--plugin', 'up', 'create'),
  set: { kind: 'settings', flag: '--set', actions: ['up', 'create'], schema: settings },
  multilabId: { kind: 'multilab', flag: '--set', actions: ['up', 'create'], schema: multilabId },
  output: texts('--output', 'create'),
  noConfig: flag('--no-config', 'up'),
  reloadConfig: { kind: 'directory', flag: '--reload-config', actions: ['up'], schema: value },
  noTools: flag('--no-tools', 'up'),
  fastConfig: flag('--fast-config', 'up'),
  cleanup: flag('--cleanup', 'down'),
  force: flag('--force', 'down'),
  dryRun: flag('--dry-run', 'up', 'down'),
  instance: { kind: 'value', flag: '--instance', actions: ['down', 'collect', 'status'], schema: instance },
  collectOutput: below('--output', 'collect'),
  collectSuffix: text('--suffix', 'collect'),
  collectTar: below('--tar', 'collect'),
  collectCleanup: flag('--cleanup', 'collect'),
  snapshot: flag('--snapshot', 'up'),
  quiet: flag('-q', 'up', 'create', 'collect'),
  verbose: flag('-v', 'up', 'create', 'down', 'collect'),
} as const satisfies Record<string, CliOption>;

type OptionName = keyof typeof cliOptions;

/** The options of a request, checked. Those that are absent were not asked for. */
export type CliOptionValues = {
  readonly [Name in OptionName]?: z.output<(typeof cliOptions)[Name]['schema']> | undefined;
};

export const optionNames = Object.keys(cliOptions) as readonly OptionName[];

/** Whether `name` has a meaning for `action`. */
export function belongsTo(name: OptionName, action: Action): boolean {
  return (cliOptions[name].actions as readonly Action[]).includes(action);
}

function settingArguments(
  name: string,
  pairs: Readonly<Record<string, string | number | boolean>>,
): string[] {
  return Object.entries(pairs).flatMap(([key, setting]) => [name, `${key}=${setting}`]);
}

function argumentsOf(name: OptionName, given: unknown): string[] {
  const { kind, flag: option } = cliOptions[name];
  switch (kind) {
    case 'flag':
      return given === true ? [option] : [];
    case 'list':
      return (given as string[]).flatMap((entry) => [option, entry]);
    case 'settings':
      return settingArguments(option, given as Record<string, string>);
    case 'multilab':
      return ['--plugin', 'multilab', option, `defaults.multilab.id=${String(given)}`];
    case 'value':
    case 'directory':
    case 'file-below-workdir':
      return [option, given as string];
  }
}

/**
 * The lab CLI's arguments, program excluded. `topologyFile` is absolute, so it cannot be taken for an option; it comes
 * first because netlab's `--snapshot` takes an optional value and would swallow it.
 */
export function buildArguments(action: Action, options: CliOptionValues, topologyFile?: string): string[] {
  const args: string[] = [action];
  if (topologyFile !== undefined) args.push(topologyFile);
  if (action === 'status' && options.instance === undefined) args.push('--all');
  for (const name of optionNames) {
    const given = options[name];
    // `collect` runs in the directory of its instance: netlab 26.10 changes the directory by itself only at times.
    const isMeant = belongsTo(name, action) && !(action === 'collect' && name === 'instance');
    if (given !== undefined && isMeant) args.push(...argumentsOf(name, given));
  }
  return args;
}

/**
 * The options of all actions, in one table: what a client calls them and what their values may be. labs/actions.ts says
 * which action takes which, and the driver of a lab CLI what becomes of them in its arguments.
 */
import { z } from 'zod';

const maxValueLength = 4096;
const maxSettings = 200;
/** No path and no argument has a NUL byte: the same as the checks here say, for the description of the API. */
export const textPattern = '^[^\\u0000]*$';

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

// What `checkValue` wants, for the description of the API.
const value = z
  .string()
  .superRefine(checkValue)
  .meta({ maxLength: maxValueLength, pattern: '^[^-\\u0000][^\\u0000]*$' });

/** One string or several: `"plugin": "bgp.session"` and `"plugin": ["bgp.session"]` mean the same. */
const valueList = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(value).max(100),
);

const scalarText = z
  .string()
  .max(maxValueLength)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL byte')
  .meta({ pattern: textPattern });

/**
 * `schema` for a mapping with keys of a client's choice. zod makes a record of it without a word about a key `__proto__`,
 * and whoever sent one would believe that it was taken: it is refused. `what` is what a person calls a key: "a label".
 */
export function withoutProto<Schema extends z.ZodType>(what: string, schema: Schema) {
  return z.preprocess((given, context) => {
    if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
      context.addIssue(`${what} must not be called "__proto__"`);
    return given;
  }, schema);
}

/** Dotted netlab attribute → scalar. `=` would end the key early. */
const settings = withoutProto(
  'a setting',
  z
    .record(
      value
        .refine((key) => !key.includes('='), 'a key must not contain "="')
        .meta({ maxLength: maxValueLength, pattern: '^[^-=\\u0000][^=\\u0000]*$' }),
      z
        .union([scalarText, z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' })
        .describe('The value of the attribute.'),
    )
    .refine((pairs) => Object.keys(pairs).length <= maxSettings, `at most ${maxSettings} entries`)
    .meta({ maxProperties: maxSettings }),
);

// The pattern says what the rules below want of a text, the minimum what they want of a number as text.
const instance = z
  .union(
    [
      z.string().meta({ maxLength: maxValueLength, pattern: '^[^-/\\u0000][^/\\u0000]*$' }),
      z.int().meta({ minimum: 0 }),
    ],
    { error: 'must be a string or a whole number' },
  )
  .transform(String)
  .pipe(value.refine((id) => !id.includes('/'), 'must not contain "/"'));

const multilabRange = 'must be a whole number from 1 to 200';
const multilabId = z.int(multilabRange).min(1, multilabRange).max(200, multilabRange);

/** What a value is, for whoever has to treat it as that: an argument list, a form. */
type OptionKind = 'flag' | 'value' | 'list' | 'settings' | 'multilab' | 'file-below-workdir' | 'directory';

interface CliOption {
  readonly kind: OptionKind;
  readonly schema: z.ZodType;
  /** For who reads about the API; which actions take the option is added to it. */
  readonly description: string;
}

const flag = { kind: 'flag', schema: z.boolean() } as const;
const text = { kind: 'value', schema: value } as const;
const texts = { kind: 'list', schema: valueList } as const;
const fileBelowWorkdir = { kind: 'file-below-workdir', schema: value } as const;

export const cliOptions = {
  device: { ...text, description: 'The device type of nodes that name none (`--device`).' },
  provider: { ...text, description: 'What runs the nodes: `clab`, `libvirt`, … (`--provider`).' },
  plugin: { ...texts, description: 'Plugins of the lab CLI to load (`--plugin`); one may be plain text.' },
  set: {
    kind: 'settings',
    schema: settings,
    description: 'Topology attributes to set, by their dotted names (`--set`); at most 200.',
  },
  multilabId: {
    kind: 'multilab',
    schema: multilabId,
    description: 'Runs the lab beside others, as the instance of this number (the multilab plugin).',
  },
  output: {
    ...texts,
    description: 'Which files to make, as `format:option=file` inside the working directory (`--output`).',
  },
  noConfig: { ...flag, description: 'Starts the nodes without configuring them (`--no-config`).' },
  reloadConfig: {
    kind: 'directory',
    schema: value,
    description: 'A directory with collected configurations to start from (`--reload-config`).',
  },
  noTools: { ...flag, description: 'Does not start external tools (`--no-tools`).' },
  fastConfig: { ...flag, description: 'Configures the nodes in parallel (`--fast-config`).' },
  cleanup: { ...flag, description: 'Removes the files that the lab CLI made, too (`--cleanup`).' },
  force: { ...flag, description: 'Goes on in spite of errors and locks (`--force`).' },
  dryRun: { ...flag, description: 'Prints the commands and runs none (`--dry-run`).' },
  instance: {
    kind: 'value',
    schema: instance,
    description: 'The lab instance, as the status calls it (`--instance`); without `/`.',
  },
  collectOutput: {
    ...fileBelowWorkdir,
    description: 'The directory for the configurations, inside the working directory (`--output`).',
  },
  collectSuffix: { ...text, description: 'The end of the names of collected files (`--suffix`).' },
  collectTar: {
    ...fileBelowWorkdir,
    description: 'The tar archive for the configurations, inside the working directory (`--tar`).',
  },
  collectCleanup: {
    ...flag,
    description: 'Removes the directory once the archive is made (`--cleanup`).',
  },
  snapshot: { ...flag, description: 'Starts the lab from its snapshot, without a topology (`--snapshot`).' },
  quiet: { ...flag, description: 'Prints less (`--quiet`).' },
  verbose: { ...flag, description: 'Prints more (`--verbose`).' },
} as const satisfies Record<string, CliOption>;

export type OptionName = keyof typeof cliOptions;

/** The options of a request, checked. Those that are absent were not asked for. */
export type CliOptionValues = {
  readonly [Name in OptionName]?: z.output<(typeof cliOptions)[Name]['schema']> | undefined;
};

export const optionNames = Object.keys(cliOptions) as readonly OptionName[];

/** Which values an option may have; labs/model/option-kinds.ts is the table of the options. */
import * as z from 'zod';
import type { OptionName } from './option-kinds.ts';

const maxValueLength = 4096;

/** What a request may call a lab CLI; refusals repeat it. */
export const maxCliName = 63;
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

/** The multilab plugin makes a part of an IPv4 address of it (netsim/extra/multilab, `init`). */
export const highestMultilabId = 200;
const multilabRange = `must be a whole number from 1 to ${highestMultilabId}, or "auto"`;
const multilabId = z.union(
  [
    z
      .int()
      .min(1, multilabRange)
      .max(highestMultilabId, multilabRange)
      .describe('The number of the instance.'),
    z.literal('auto').describe('Any that is free; `instance` of the job tells which.'),
  ],
  { error: multilabRange },
);

const workersRange = 'must be a whole number from 1 to 1000';
const maxWorkers = z.int(workersRange).min(1, workersRange).max(1000, workersRange);

const secondsRange = 'must be a whole number from 1 to 3600';
const nodeWaitSeconds = z.int(secondsRange).min(1, secondsRange).max(3600, secondsRange);

const wantsList = 'must be a list of the command and its arguments, such as ["ping", "-c1", "h2"]';

/** One string is refused: nobody here takes a line apart as a shell does. */
const command = z
  .array(
    z
      .string()
      .max(maxValueLength)
      .refine((text) => !text.includes('\0'), 'must not contain a NUL byte')
      .meta({ pattern: textPattern }),
    wantsList,
  )
  .min(1, wantsList)
  .max(200)
  .refine(
    ([program = '']) => program !== '' && !program.startsWith('-'),
    'must begin with the name of a program',
  );

export const optionSchemas = {
  device: value,
  provider: value,
  plugin: valueList,
  set: settings,
  multilabId,
  output: valueList,
  noConfig: z.boolean(),
  reloadConfig: value,
  noTools: z.boolean(),
  fastConfig: z.boolean(),
  cleanup: z.boolean(),
  force: z.boolean(),
  dryRun: z.boolean(),
  instance,
  collectOutput: value,
  collectSuffix: value,
  collectTar: value,
  collectCleanup: z.boolean(),
  snapshot: z.boolean(),
  tests: valueList,
  nodes: valueList,
  skipWait: z.boolean(),
  errorOnly: z.boolean(),
  testSource: value,
  template: value,
  limit: value,
  command,
  reconfigure: z.boolean(),
  nodeFilter: valueList,
  maxWorkers,
  vars: value,
  skipPostDeploy: z.boolean(),
  exportTemplate: value,
  graceful: z.boolean(),
  keepMgmtNet: z.boolean(),
  nodeWaitSeconds,
  quiet: z.boolean(),
  verbose: z.boolean(),
} as const satisfies Record<OptionName, z.ZodType>;

/** The options of a request, checked. Those that are absent were not asked for. */
export type CliOptionValues = {
  readonly [Name in OptionName]?: z.output<(typeof optionSchemas)[Name]> | undefined;
};

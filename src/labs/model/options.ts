/** The values that each kind of option may have; option-kinds.ts is the table of the options. */
import * as z from 'zod';
import { cliOptions, optionNames, type CliOption, type OptionKind, type OptionName } from './option-kinds.ts';

const maxValueLength = 4096;

/** The longest name of a lab CLI in a request; refusals repeat the name. */
export const maxCliName = 63;
const maxSettings = 200;
/** No path and no argument has a NUL byte: the checks below, for the description of the API. */
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

// The rules of `checkValue`, for the description of the API.
const valuePattern = '^[^-\\u0000][^\\u0000]*$';
const value = z.string().superRefine(checkValue).meta({ maxLength: maxValueLength, pattern: valuePattern });

/** One string or several: `"plugin": "bgp.session"` and `"plugin": ["bgp.session"]` mean the same. */
const listOf = (list: z.ZodArray<typeof value>) =>
  z.preprocess((given) => (typeof given === 'string' ? [given] : given), list.max(100));
const valueList = listOf(z.array(value));

const scalarText = z
  .string()
  .max(maxValueLength)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL byte')
  .meta({ pattern: textPattern });

/** The check of `withoutProto`, for the keys in the description of the API. */
export const keyRule = { not: { const: '__proto__' } } as const;

/**
 * `schema` for a mapping with keys of a client's choice. zod silently drops a key `__proto__`, and the client would believe
 * that the service accepted it: it is refused. `what` is the name of a key in the sentence: "a label".
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
        .meta({ maxLength: maxValueLength, pattern: '^[^-=\\u0000][^=\\u0000]*$', ...keyRule }),
      z
        .union([scalarText, z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' })
        .describe('The value of the attribute.'),
    )
    .refine((pairs) => Object.keys(pairs).length <= maxSettings, `at most ${maxSettings} entries`)
    .meta({ maxProperties: maxSettings }),
);

// The pattern and the minimum are the rules below, for the description of the API.
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

function numberUpTo(max: number) {
  const range = `must be a whole number from 1 to ${max}`;
  return z.int(range).min(1, range).max(max, range);
}

const wantsList = 'must be a list of the command and its arguments, such as ["ping", "-c1", "h2"]';

/** One string is refused: the service does not split a line into words as a shell does. */
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
  )
  .meta({ not: { prefixItems: [{ anyOf: [{ maxLength: 0 }, { pattern: '^-' }] }] } });

const kindSchemas = {
  flag: z.boolean(),
  value,
  number: numberUpTo(Number.MAX_SAFE_INTEGER),
  list: valueList,
  command,
  settings,
  multilab: multilabId,
  'file-below-workdir': value,
  file: value,
  template: value,
  directory: value,
} as const satisfies Record<OptionKind, z.ZodType>;

/** A value without this sign. */
const valueWithout = (sign: string) =>
  value
    .refine((text) => !text.includes(sign), `must not contain "${sign}"`)
    .meta({ maxLength: maxValueLength, pattern: valuePattern, not: { pattern: sign } });

/** Options whose values are restricted further than their kind. */
const ownSchemas = {
  instance,
  collectSuffix: valueWithout('/'),
  // GNU tar takes `host:file` for a file on another machine and starts a remote shell to reach it.
  collectTar: valueWithout(':'),
  // `destroy --node-filter ""` of containerlab 0.79 destroys the whole lab.
  nodeFilter: listOf(z.array(value).min(1, 'must name a node')),
} as const satisfies { readonly [Name in OptionName]?: z.ZodType };

type SchemaOf<Name extends OptionName> = Name extends keyof typeof ownSchemas
  ? (typeof ownSchemas)[Name]
  : (typeof kindSchemas)[(typeof cliOptions)[Name]['kind']];

function schemaOf(name: OptionName): z.ZodType {
  const option: CliOption = cliOptions[name];
  if (name in ownSchemas) return ownSchemas[name as keyof typeof ownSchemas];
  return option.max === undefined ? kindSchemas[option.kind] : numberUpTo(option.max);
}

export const optionSchemas = Object.fromEntries(optionNames.map((name) => [name, schemaOf(name)])) as {
  readonly [Name in OptionName]: SchemaOf<Name>;
};

/** The options of a request, checked. Options that are absent were not asked for. */
export type CliOptionValues = {
  readonly [Name in OptionName]?: z.output<SchemaOf<Name>> | undefined;
};

/** The body of POST /jobs: which fields there are, of which type, and what becomes of the others. */
import { z } from 'zod';
import { AppError, invalidField, invalidRequest, withWarnings } from '../../lib/app-error.ts';
import { didYouMean, misspelt } from '../../lib/did-you-mean.ts';
import { issueWords } from '../../lib/issue-words.ts';
import { actions, cleanedUpActions, cleaningActions } from '../../labs/actions.ts';
import { cliOptions, optionNames, withoutProto, type CliOptionValues } from '../../labs/options.ts';

const text = z
  .string()
  .max(4096)
  .refine((value) => !value.includes('\0'), 'must not contain a NUL byte');

const optionShape = Object.fromEntries(optionNames.map((name) => [name, cliOptions[name].schema.optional()]));

const maxNamedFields = 20;

/** Hundreds of long settings are sound one by one; but record, command and every list of jobs repeat them. */
const maxAcceptedBytes = 64 * 1024;

/** What the client wrote, when that is short enough to be repeated. */
function quoted(input: unknown): string {
  // Not an object: one that is nested deeply enough overflows the stack of whoever writes it down.
  const shown = typeof input === 'object' ? '' : JSON.stringify(input);
  return shown === '' || shown.length > 40 ? '' : ` ${shown}`;
}

/** A filter is `name=value`, so a name ends at the first `=`. */
const labelName = z
  .string()
  .min(1)
  .max(63)
  .refine((name) => !name.includes('='), 'must not contain "="');

const labels = withoutProto(
  'a label',
  z
    .record(labelName, z.string().max(255))
    .refine((given) => Object.keys(given).length <= 32, 'at most 32 labels'),
);

const positive = 'must be a number over 0';

const fieldShape = {
  action: z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z.enum(actions, {
      error: (issue) =>
        issue.input === undefined
          ? `is required: one of ${actions.join(', ')}`
          : `unknown action${quoted(issue.input)}: use one of ${actions.join(', ')}`,
    }),
  ),
  workdir: text.optional(),
  workspaceRoot: text.optional(),
  topologyUrl: text.optional(),
  topology: withoutProto(
    'a topology element',
    z.union([z.string(), z.record(z.string(), z.unknown())], { error: 'must be YAML text or a JSON object' }),
  ).optional(),
  topologyPath: text.optional(),
  /** Gets a message about every state of the job. */
  callbackUrl: text.optional(),
  timeoutSeconds: z.number(positive).positive(positive).optional(),
  onConflict: z.enum(['queue', 'reject']).default('queue'),
  onCancel: z.enum(['keep', ...cleaningActions]).optional(),
  onFailure: z.enum(['keep', ...cleaningActions]).optional(),
  labels: labels.default({}),
};

/** Every field of the body, and its type. */
export const jobRequestSchema = z.object({ ...fieldShape, ...optionShape });
const knownFields = Object.keys(jobRequestSchema.shape);

type Fields = z.output<z.ZodObject<typeof fieldShape>>;

/** A request that is sound in itself; whether its paths exist is seen when the job is planned. */
export interface JobRequest extends Omit<Fields, 'labels'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly options: CliOptionValues;
  readonly warnings: readonly string[];
  /** What was accepted, under the names that the client used. */
  readonly accepted: Readonly<Record<string, unknown>>;
}

/** Clients of `netlab api` send `null` and `""` for "not given"; so both mean that here. */
function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'string' || value.trim() !== '');
}

/**
 * Checks a parsed JSON body.
 * @throws AppError `invalid-request` that lists every wrong field.
 */
export function parseJobRequest(body: unknown): JobRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = 'must be a JSON object such as {"action":"up","workdir":"/labs/demo"}';
    throw new AppError('invalid-request', `the body ${message}`, { errors: [{ field: 'body', message }] });
  }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => isGiven(value)));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(jobRequestSchema.shape, name));
  for (const name of unknown) delete given[name];

  const misspeltFields = unknown.filter((name) => misspelt(name, knownFields) !== undefined);
  const unknownWarnings = unknownFieldWarnings(unknown.filter((name) => !misspeltFields.includes(name)));
  const parsed = jobRequestSchema.safeParse(given, { error: issueWords });
  const issues = [...misspeltIssues(misspeltFields), ...(parsed.error?.issues ?? [])];
  if (!parsed.success || issues.length > 0) throw withWarnings(invalidRequest(issues), unknownWarnings);
  const { fields, warnings } = onlyUsed(parsed.data as Fields & CliOptionValues);
  const options = Object.fromEntries(optionNames.map((name) => [name, fields[name]]));
  const accepted = describeAccepted(fields);
  assertShort(accepted);
  return {
    ...fields,
    options,
    warnings: [...unknownWarnings, ...warnings],
    accepted,
  };
}

/** Without the fields that ask to clean up after an action that leaves nothing. */
function onlyUsed<T extends Fields>(data: T): { fields: T; warnings: string[] } {
  if (cleanedUpActions.includes(data.action)) return { fields: data, warnings: [] };
  const owners = cleanedUpActions.map((action) => `"${action}"`).join(', ');
  const unused = (['onCancel', 'onFailure'] as const).filter((name) => data[name] !== undefined);
  const fields = { ...data };
  for (const name of unused) delete fields[name];
  return { fields, warnings: unused.map((name) => `option "${name}" is ignored: it belongs to ${owners}`) };
}

/** `"dryrun": true` with `down` would stop the lab: what is so nearly a field of ours is not ignored. */
function misspeltIssues(names: readonly string[]): { path: string[]; message: string }[] {
  return names.slice(0, maxNamedFields).map((name) => ({
    path: [name],
    message: `unknown field${didYouMean(name, knownFields)}`,
  }));
}

/** @throws AppError that names the longest field, when all together are too long. */
function assertShort(accepted: Readonly<Record<string, unknown>>): void {
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const bytes = bytesOf(accepted);
  if (bytes <= maxAcceptedBytes) return;
  const [longest] = Object.keys(accepted).toSorted((a, b) => bytesOf(accepted[b]) - bytesOf(accepted[a]));
  throw invalidField(
    longest ?? 'body',
    `all fields but the topology may have ${maxAcceptedBytes} bytes together, as JSON; they have ${bytes}`,
  );
}

/** The names of unknown fields stand in the record as well, so not all of them, and not all of each. */
function unknownFieldWarnings(names: readonly string[]): string[] {
  const shown = names
    .slice(0, maxNamedFields)
    .map(
      (name) => `unknown field ${JSON.stringify(name.slice(0, 100))} ignored${didYouMean(name, knownFields)}`,
    );
  const rest = names.length - shown.length;
  return rest > 0 ? [...shown, `${rest} more unknown fields ignored`] : shown;
}

/** The record keeps an inline topology as a file of its own: lists of jobs would otherwise carry megabytes. */
function describeAccepted(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const accepted = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  if (accepted['topology'] !== undefined)
    accepted['topology'] = '(kept as topology.yml beside the job record)';
  return accepted;
}

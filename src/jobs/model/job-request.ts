/** Checks the body of POST /jobs, and reports unknown and unused fields. */
import { AppError, invalidField, invalidRequest, withWarnings } from '../../lib/app-error.ts';
import { didYouMean, misspelt } from '../../lib/text/did-you-mean.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import {
  cleanedUpActions,
  leasedActions,
  readyActions,
  replacingActions,
  scenarioActions,
  topologyActions,
} from '../../labs/model/actions.ts';
import { optionNames } from '../../labs/model/option-kinds.ts';
import type { CliOptionValues } from '../../labs/model/options.ts';
import { autoWorkspace } from './job-request-rules.ts';
import { jobRequestSchema, type Fields } from './job-request-schema.ts';

const maxNamedFields = 20;

/** Hundreds of long settings are sound one by one; but record, command and every list of jobs repeat them. */
const maxAcceptedBytes = 64 * 1024;

const knownFields = Object.keys(jobRequestSchema.shape);

/** A request that is sound in itself; the plan of the job checks whether its paths exist. */
export interface JobRequest extends Omit<Fields, 'labels'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly options: CliOptionValues;
  readonly warnings: readonly string[];
  /** The accepted fields, under the names that the client used. */
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
  assertSourceIsUsed(parsed.data, unknownWarnings);
  const { fields, warnings } = onlyUsed(parsed.data as Fields & CliOptionValues);
  const options = Object.fromEntries(optionNames.map((name) => [name, fields[name]]));
  if (scenarioActions.includes(fields.action))
    assertOneScenario(fields.scenario, options['scenarioPath'], [...unknownWarnings, ...warnings]);
  const accepted = describeAccepted(fields);
  assertShort(accepted);
  return {
    ...fields,
    options,
    warnings: [...unknownWarnings, ...warnings],
    accepted,
  };
}

/** @throws AppError `invalid-request`. */
function assertOneScenario(scenario: unknown, scenarioPath: unknown, warnings: readonly string[]): void {
  if ((scenario === undefined) !== (scenarioPath === undefined)) return;
  const error =
    scenario === undefined
      ? invalidField('scenario', 'is required, or "scenarioPath": a file in the working directory')
      : invalidField('scenarioPath', 'is given beside "scenario": give one of them');
  throw withWarnings(error, warnings);
}

/** Without its source, the action would be about the lab of another directory. @throws AppError `invalid-request`. */
function assertSourceIsUsed({ action, source }: Fields, warnings: readonly string[]): void {
  if (source === undefined || topologyActions.includes(action)) return;
  const owners = topologyActions.map((name) => `"${name}"`).join(' and ');
  const message = `belongs to ${owners}: give "instance", "workspace" or "workdir" in its place`;
  throw withWarnings(invalidField('source', message), warnings);
}

/** The fields that are about the lab that an action starts, and the actions that they belong to. */
const labFields = {
  onCancel: cleanedUpActions,
  onFailure: cleanedUpActions,
  ttlSeconds: leasedActions,
  waitReadySeconds: readyActions,
  replace: replacingActions,
  scenario: scenarioActions,
} as const;
const labFieldNames = Object.keys(labFields) as readonly (keyof typeof labFields)[];

/** Without the fields that are about the lab of another action. */
function onlyUsed<T extends Fields>(data: T): { fields: T; warnings: string[] } {
  const unused = labFieldNames.filter(
    (name) => data[name] !== undefined && !labFields[name].includes(data.action),
  );
  const fields = { ...data };
  for (const name of unused) delete fields[name];
  // Files of a repository need a place of their own.
  if (fields.source !== undefined) fields.workspace ??= autoWorkspace;
  const warnings = unused.map((name) => {
    const owners = labFields[name].map((action) => `"${action}"`).join(', ');
    return `option "${name}" is ignored: it belongs to ${owners}`;
  });
  return { fields, warnings };
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

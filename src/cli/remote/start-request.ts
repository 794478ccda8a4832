/** The body of a request for a job, from a command line. */
import type { JobRequest } from '../../client/api-types.ts';
import { actions } from '../../labs/model/actions.ts';
import { cliOptions, optionNames, type OptionName } from '../../labs/model/option-kinds.ts';
import { messageOf } from '../../lib/app-error.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { isMapping } from '../../lib/mapping.ts';
import { textOf, UsageError } from './server.ts';

export interface StartOptions {
  readonly output: 'table' | 'json';
  readonly follow?: boolean;
  readonly wait?: boolean;
  readonly topology?: string;
  readonly git?: string;
  readonly ref?: string;
  readonly path?: string;
  readonly label?: readonly string[];
  readonly hostLabel?: readonly string[];
  readonly json?: string;
  readonly idempotencyKey?: string;
  readonly timeout?: string;
  readonly timeoutSeconds?: string;
  readonly ttl?: string;
  readonly ttlSeconds?: string;
  readonly waitReady?: string;
  readonly waitReadySeconds?: string;
}

/** Without a text, the request would be for the topology of the directory. */
function topologyOf(file: string): string {
  const text = textOf(file, '--topology');
  if (text.trim() === '') throw new UsageError(`--topology: ${file} is empty`);
  return text;
}

/** `name=value` pairs as a mapping. */
function pairs(given: readonly string[], option: string): Record<string, string> {
  const entries = given.map((pair): [string, string] => {
    const end = pair.indexOf('=');
    if (end < 1) throw new UsageError(`${option}: "${pair}" is not name=value`);
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
  return Object.fromEntries(entries);
}

/** A number as a number: the service takes no text in its place. */
export function number(text: string, option: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`${option}: "${text}" is not a number`);
}

/** A duration as the settings of the service take it, in seconds. */
export function seconds(text: string, option: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms / 1000;
  throw new UsageError(`${option}: "${text}" is not a duration such as 90s, 5m or 4h`);
}

/** The name of the lab CLI's option here: `--output` is an option of this command already. */
export const typedName = (name: OptionName): string => (name === 'output' ? 'labOutput' : name);

export const flagOf = (name: OptionName): string =>
  `--${typedName(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function optionValue(name: OptionName, given: unknown): unknown {
  const { kind } = cliOptions[name];
  if (kind === 'settings') return pairs(given as string[], flagOf(name));
  const isNumber = kind === 'number' || (kind === 'multilab' && given !== 'auto');
  return isNumber ? number(given as string, flagOf(name)) : given;
}

const plainFields = [
  'cli',
  'workdir',
  'workspace',
  'topologyPath',
  'topologyUrl',
  'onConflict',
  'replace',
  'onCancel',
  'onFailure',
  'callbackUrl',
  'host',
] as const;

function wholeRequest(file: string): Record<string, unknown> {
  const text = textOf(file, '--json');
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json: ${messageOf(error)}`);
  }
  if (isMapping(request)) return { ...request };
  throw new UsageError('--json: the request is no JSON object');
}

/** Only what is given: the request may have the rest. */
function sourceOf({ git, ref, path }: StartOptions, given: unknown): unknown {
  const wanted = Object.entries({ git, ref, path }).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return given;
  const source: object = { ...(isMapping(given) ? given : {}), ...Object.fromEntries(wanted) };
  if (!('git' in source)) throw new UsageError(`--${wanted[0]?.[0]}: give --git URL as well`);
  return source;
}

/** The body of the request: `--json` first, then what else is on the command line. */
export function requestOf(action: string | undefined, options: StartOptions): JobRequest {
  const given = options as Readonly<Record<string, unknown> & StartOptions>;
  const fields: Record<string, unknown> = options.json === undefined ? {} : wholeRequest(options.json);
  for (const name of plainFields) if (given[name] !== undefined) fields[name] = given[name];
  for (const name of optionNames) {
    const value = given[typedName(name)];
    if (value !== undefined) fields[name] = optionValue(name, value);
  }
  if (options.topology !== undefined) fields['topology'] = topologyOf(options.topology);
  const source = sourceOf(options, fields['source']);
  if (source !== undefined) fields['source'] = source;
  if (options.label) fields['labels'] = pairs(options.label, '--label');
  if (options.hostLabel) fields['hostLabels'] = options.hostLabel;
  const { timeout = options.timeoutSeconds } = options;
  if (timeout !== undefined) fields['timeoutSeconds'] = seconds(timeout, '--timeout');
  const { ttl = options.ttlSeconds } = options;
  if (ttl !== undefined) fields['ttlSeconds'] = seconds(ttl, '--ttl');
  const { waitReady = options.waitReadySeconds } = options;
  if (waitReady !== undefined) fields['waitReadySeconds'] = seconds(waitReady, '--wait-ready');
  if (action !== undefined) fields['action'] = action;
  else if (options.git !== undefined) fields['action'] ??= 'up';
  if (fields['action'] === undefined)
    throw new UsageError(`give an ACTION: one of ${actions.join(', ')}; or --json FILE with "action" in it`);
  // The server checks the fields: it may be newer than this client.
  return fields as unknown as JobRequest;
}

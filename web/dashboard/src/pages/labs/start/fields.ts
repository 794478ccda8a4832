/** Makes the form that starts a lab from the description of `POST /jobs`: it offers new options without a change here. */
import type { LeaseLimits } from '../../../../../../src/client/api-types.ts';
import { durationText } from '../../../parts/duration-text.ts';

/** The part of JSON Schema that describes request fields. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The control for a field. */
type FieldKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Such as `2 h`; sent as seconds. */
  | { readonly kind: 'duration' }
  | NumberKind
  | { readonly kind: 'list' }
  /** Names with values. */
  | { readonly kind: 'pairs' }
  | { readonly kind: 'text'; readonly maxLength: number | undefined };

interface NumberKind {
  readonly kind: 'number';
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Words that are allowed instead of a number. */
  readonly words: readonly string[];
}

export interface Field {
  /** The name in the API. */
  readonly name: string;
  readonly label: string;
  /** In words of the page, or the description of the service. */
  readonly help: string;
  readonly control: FieldKind;
  /** An example, or the value of an empty field. */
  readonly hint?: string;
}

/** The form has other controls for these: the source and the place of the lab. */
const askedElsewhere = new Set([
  'action',
  'cli',
  'workdir',
  'workspace',
  'workspaceRoot',
  'topology',
  'topologyUrl',
  'topologyPath',
  'source',
]);

/** The options that most users need, in this order; the others are under "More options". */
const usual = ['multilabId', 'ttlSeconds', 'labels', 'onFailure', 'onCancel'];

/** Labels that differ from the field name. */
const labels: Readonly<Record<string, string>> = {
  multilabId: 'Lab ID',
  ttlSeconds: 'Time to live',
  onFailure: 'When it fails',
  onCancel: 'When it is canceled',
  onConflict: 'When the directory is busy',
  timeoutSeconds: 'Longest time to start',
  waitReadySeconds: 'Wait until the nodes are ready',
  set: 'Topology attributes',
};

/** Help in the words of the page, where the description of the service is for readers of the API. */
const helps: Readonly<Record<string, string>> = {
  multilabId: 'The number of this lab on the server: labs with different numbers run side by side.',
  labels: 'Short texts to find the job by, such as `course=bgp`.',
  onFailure: 'The lab stays as it is (the default), so that you can look for the cause, or it is taken down.',
  onCancel:
    'The same for a start that is ended early: it is canceled, or takes too long. The default: the lab stays.',
  onConflict: 'Another job may use the directory: wait for its end (the default), or do not start the lab.',
  callbackUrl:
    'An http or https address: the server sends it a message each time the state of the job changes.',
  timeoutSeconds: 'The start is ended after this time. Default and maximum: the limit of the server.',
  waitReadySeconds:
    'The job ends when all nodes are ready. After this time, it fails and names the nodes that are late.',
  hostLabels: 'Of a cluster: only a host with all of these labels.',
};

/** `reloadConfig` → `Reload config`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return labels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function numberOf(schema: Schema, words: readonly string[] = []): NumberKind {
  return { kind: 'number', minimum: schema.minimum, maximum: schema.maximum, words };
}

const isNumber = ({ type }: Schema): boolean => type === 'integer' || type === 'number';

function kindOf(name: string, schema: Schema): FieldKind {
  if (schema.type === 'boolean') return { kind: 'switch' };
  if (schema.enum) return { kind: 'choice', choices: schema.enum.map(String) };
  if (isNumber(schema)) return name.endsWith('Seconds') ? { kind: 'duration' } : numberOf(schema);
  const number = schema.anyOf?.find(isNumber);
  if (number) {
    const words = schema.anyOf?.flatMap((one) => (typeof one.const === 'string' ? [one.const] : []));
    return numberOf(number, words);
  }
  if (schema.type === 'array') return { kind: 'list' };
  if (schema.type === 'object') return { kind: 'pairs' };
  return { kind: 'text', maxLength: schema.maxLength };
}

/** Reads `… Used by up, create.` at the end of a description; without it, all actions use the field. */
function isUsedBy(action: string, { description = '' }: Schema): boolean {
  const [, users] = /Used by ([a-z, -]+)\.$/.exec(description) ?? [];
  return users === undefined || users === 'all actions' || users.split(', ').includes(action);
}

/**
 * The options of a job with this action, most used first. `description` is the OpenAPI document of the service; any other document
 * has no fields. `others` are the options that the lab CLI does not know.
 */
export function fieldsOf(
  description: Readonly<Record<string, unknown>>,
  action: string,
  others: readonly string[] = [],
): { readonly usual: readonly Field[]; readonly more: readonly Field[] } {
  const document = description as { components?: { schemas?: Readonly<Record<string, Schema>> } };
  const properties = document.components?.schemas?.['JobRequest']?.properties ?? {};
  const fields = Object.entries(properties)
    .filter(
      ([name, schema]) => !askedElsewhere.has(name) && !others.includes(name) && isUsedBy(action, schema),
    )
    .map(([name, schema]): Field => ({
      name,
      label: labelOf(name),
      help: helps[name] ?? (schema.description ?? '').replace(/\s*Used by [a-z, -]+\.$/, ''),
      control: kindOf(name, schema),
    }));
  return {
    usual: usual.flatMap((name) => fields.find((field) => field.name === name) ?? []),
    more: fields.filter(({ name }) => !usual.includes(name)),
  };
}

/** The time to live with the limits of this server; other fields as they are. */
export function withLimits(field: Field, leases: LeaseLimits | undefined): Field {
  if (field.name !== 'ttlSeconds' || leases === undefined) return field;
  const textOf = (seconds: number | null): string | undefined =>
    seconds === null ? undefined : durationText(seconds * 1000);
  const first = textOf(leases.defaultTtlSeconds);
  const help = field.help
    .replace('`LAB_API_DEFAULT_TTL`', first ?? 'no end')
    .replace('`LAB_API_MAX_TTL`', textOf(leases.maxTtlSeconds) ?? 'none');
  return { ...field, help, ...(first !== undefined && { hint: `default: ${first}` }) };
}

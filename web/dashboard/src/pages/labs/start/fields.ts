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
  /** The description of the service. */
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
  set: 'Topology attributes',
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
      help: (schema.description ?? '').replace(/\s*Used by [a-z, -]+\.$/, ''),
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

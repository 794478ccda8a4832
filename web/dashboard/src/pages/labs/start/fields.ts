/** The form that starts a lab, made of what the service says of `POST /jobs`: an option that it learns is offered by itself. */

/** The part of JSON Schema that fields of requests are described with. */
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

/** How a field is asked for. */
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
  /** Words that may stand in place of a number. */
  readonly words: readonly string[];
}

export interface Field {
  /** As the API calls it. */
  readonly name: string;
  readonly label: string;
  /** What the service says of it. */
  readonly help: string;
  readonly control: FieldKind;
}

/** What the form asks for by other means: what is started, and where. */
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

/** What most people who start a lab think about, in that order; the rest is one click away. */
const usual = ['multilabId', 'ttlSeconds', 'labels', 'onFailure', 'onCancel'];

/** Those whose names need a word more. */
const labels: Readonly<Record<string, string>> = {
  multilabId: 'Lab id',
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

/** `… Used by up, create.` at the end tells which actions look at it; nothing there: all of them. */
function isUsedBy(action: string, { description = '' }: Schema): boolean {
  const [, users] = /Used by ([a-z, -]+)\.$/.exec(description) ?? [];
  return users === undefined || users === 'all' || users.split(', ').includes(action);
}

/**
 * The fields of a job of that action besides what it works on and where, those that are used most first. `description` is that
 * of the service (`GET /openapi.json`); a document that is none has no fields. `others` are options that its lab CLI does not know.
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

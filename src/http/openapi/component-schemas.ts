/** From zod schemas to those of the document: JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
import * as z from 'zod';

export type JsonSchema = Record<string, unknown>;

/** `input` for requests, where defaults and conversions of zod have not happened yet; `output` for replies. */
type Direction = 'input' | 'output';

function tidyInteger(schema: JsonSchema, direction: Direction): void {
  // Without a format, some generators take 32 bits: a log may have more than 2 GiB.
  schema['format'] = Number(schema['maximum'] ?? Infinity) < 2 ** 31 ? 'int32' : 'int64';
  // zod's bounds of every integer: who sends one has to know them, and who reads one learns nothing from them.
  if (direction === 'input') return;
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
}

/** `anyOf` of a type and null as one type that may be null, as most generators and people read it better. */
function joinNull(schema: JsonSchema): void {
  const [first, second, ...others] = (schema['anyOf'] ?? []) as (JsonSchema | undefined)[];
  const isJoinable =
    typeof first?.['type'] === 'string' && first['enum'] === undefined && second?.['type'] === 'null';
  if (!isJoinable || others.length > 0) return;
  delete schema['anyOf'];
  Object.assign(schema, { ...first, ...schema, type: [first['type'], 'null'] });
}

/** The API may add fields to replies, and clients ignore what they do not know. The service refuses unknown fields of some requests. */
function openObject(schema: JsonSchema, direction: Direction): void {
  if (direction === 'input' && schema['additionalProperties'] === false) return;
  if ('properties' in schema || schema['additionalProperties'] === false)
    delete schema['additionalProperties'];
  else if (schema['type'] === 'object') schema['additionalProperties'] ||= true;
  const rest = schema['additionalProperties'];
  if (typeof rest === 'object' && rest !== null && Object.keys(rest).length === 0)
    schema['additionalProperties'] = true;
  // That keys are text goes without saying.
  if (JSON.stringify(schema['propertyNames']) === '{"type":"string"}') delete schema['propertyNames'];
}

function tidy(schema: JsonSchema, direction: Direction): void {
  const { documentedAs, description } = schema;
  if (documentedAs !== undefined) {
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, documentedAs, description !== undefined && { description });
  }
  delete schema['id'];
  // A generated client would send it with every request. The descriptions tell it.
  delete schema['default'];
  // The pattern says no more than the format does.
  if (schema['format'] === 'date-time') delete schema['pattern'];
  if (schema['type'] === 'integer') tidyInteger(schema, direction);
  joinNull(schema);
  openObject(schema, direction);
}

/** `#/$defs/Job` as `#/components/schemas/Job`, wherever it stands. */
function moveReferences<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
}

/** The schemas with a name, as they are met. */
export class ComponentSchemas {
  readonly #byName = new Map<string, JsonSchema>();

  /** A schema as it stands in the document: a reference when it has a name. */
  of(schema: z.ZodType, direction: Direction): JsonSchema {
    // Inside an object, so that one with a name becomes a reference itself.
    const made = z.toJSONSchema(z.object({ it: schema }), {
      io: direction,
      unrepresentable: 'throw',
      override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema, direction),
    });
    const { properties, $defs } = moveReferences(made);
    for (const [name, component] of Object.entries($defs ?? {})) this.#add(name, component);
    return properties?.['it'] as JsonSchema;
  }

  /** @throws Error when two schemas go by one name: a client would get the type of one of them. */
  #add(name: string, schema: JsonSchema): void {
    const known = this.#byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${name}`);
    this.#byName.set(name, schema);
  }

  /** All that were met, by name. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#byName].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

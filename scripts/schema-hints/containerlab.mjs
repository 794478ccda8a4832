/** Converts the JSON schema of containerlab. */
import { reachable, union } from './parts.mjs';

/** @typedef {import('./parts.mjs').Part} Part */
/** @typedef {import('./parts.mjs').Parts} Parts */

/**
 * The words of JSON schema that containerlab uses, except for limits and patterns.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string} [type]
 * @property {readonly string[]} [enum]
 * @property {string} [const]
 * @property {Schemas} [properties]
 * @property {Schemas} [patternProperties]
 * @property {Schema} [items]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly Schema[]} [oneOf]
 * @property {readonly Schema[]} [allOf]
 * @property {Schema} [then]
 * @property {Schema} [else]
 * @property {Schemas} [definitions]
 */
/** @typedef {Readonly<Record<string, Schema>>} Schemas */

/** Values that are names in the same file, which the schema cannot say. @type {Parts} */
const names = {
  'link-endpoint.node': 'node-name',
  'node-config.group': { names: ['topology.groups'] },
  'wait-for-config.node': 'node-name',
};

/** `Always` is the same as `always`. @param {readonly string[]} values */
const withoutCapitals = (values) =>
  values.filter((one) => one === one.toLowerCase() || !values.includes(one.toLowerCase()));

/** The schemas that can hold for a value. @param {Schema} schema */
function alternativesOf({ anyOf = [], oneOf = [], allOf = [], then, else: otherwise }) {
  const all = [...anyOf, ...oneOf, ...allOf, ...(then ? [then] : []), ...(otherwise ? [otherwise] : [])];
  // Where any text is possible, yes and no are not special.
  const isText = all.some(({ type, enum: values }) => type === 'string' && values === undefined);
  return all.filter(({ type }) => type !== 'null' && !(isText && type === 'boolean'));
}

/** The parts of a schema: `topology` is the whole file. @param {Schema} schema */
export function containerlabParts(schema) {
  const definitions = schema.definitions ?? {};

  /** Alternatives have no names of their own. @param {Schema} one @param {string} owner @returns {Part} */
  const resolved = (one, owner) => {
    const name = one.$ref?.split('/').at(-1);
    return name === undefined ? partOf(one, owner) : partOf(definitions[name] ?? {}, name);
  };

  /** @param {Schema} one @param {string} owner the definition that it is in @returns {Part} */
  const partOf = (one, owner) => {
    if (one.$ref !== undefined) return one.$ref.split('/').at(-1) ?? '';
    const keys = Object.entries(one.properties ?? {}).map(([key, value]) => [
      key,
      names[`${owner}.${key}`] ?? partOf(value, owner),
    ]);
    const [each] = Object.values(one.patternProperties ?? {});
    const values = one.type === 'boolean' ? ['true', 'false'] : (one.enum ?? (one.const && [one.const]));
    const own = {
      ...(keys.length > 0 && { keys: Object.fromEntries(keys) }),
      ...(each && { each: partOf(each, owner) }),
      ...(one.items && { item: partOf(one.items, owner) }),
      ...(values && { values: withoutCapitals(values) }),
    };
    const others = alternativesOf(one);
    const [first] = others;
    if (Object.keys(own).length === 0 && others.length === 1 && first) return partOf(first, owner);
    const all = union([own, ...others.map((other) => resolved(other, owner))]);
    return Object.keys(all).length > 0 ? all : (one.type ?? '');
  };

  const parts = Object.fromEntries(
    Object.entries(definitions).map(([name, one]) => [name, partOf(one, name)]),
  );
  const nodeName = { names: ['topology.nodes'] };
  return reachable(
    {
      ...parts,
      // An end is text such as `r1:eth1` too.
      'link-endpoint': union([parts['link-endpoint'] ?? '', nodeName]),
      'node-name': nodeName,
      topology: partOf(schema, 'topology'),
    },
    'topology',
  );
}

/**
 * Finds changes in the description of the API that break clients made for an earlier one. A client may send all that the earlier
 * description allows, and reads all that it promises. New values of an enumeration in a reply break nothing: actions, states and
 * error codes are added, and the description tells clients to expect that.
 */

/** @typedef {any} Json */
/** @typedef {'request' | 'reply'} Direction who reads it: the service, or the client */

/**
 * Replies repeat the request of a client as it was accepted. A client that sends nothing new finds nothing new in it. This schema
 * is therefore compared as a request, not as a reply.
 */
const echoed = '#/components/schemas/JobRequest';

/** The target of a `$ref`. @param {Json} document @param {Json} value @returns {Json} */
function resolved(document, value) {
  if (typeof value?.$ref !== 'string') return value;
  const steps = value.$ref.slice(2).split('/');
  return resolved(
    document,
    steps.reduce(
      (/** @type {Json} */ at, /** @type {string} */ step) => at?.[step.replaceAll('~1', '/')],
      document,
    ),
  );
}

/** The types that a value may have, and the same for each choice. @param {Json} document @param {Json} schema @returns {Set<string>} */
function typesOf(document, schema) {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((/** @type {Json} */ one) =>
    resolved(document, one),
  );
  if (choices.length > 0)
    return new Set(choices.flatMap((/** @type {Json} */ one) => [...typesOf(document, one)]));
  return new Set([schema.type ?? []].flat());
}

class Comparison {
  /** @type {string[]} */
  found = [];
  #seen = new Set();
  #before;
  #after;

  /** @param {Json} before @param {Json} after */
  constructor(before, after) {
    this.#before = before;
    this.#after = after;
  }

  /** @param {string} where @param {Json} before @param {Json} after @param {Direction} direction */
  schemas(where, before, after, direction) {
    if (direction === 'reply' && after?.$ref === echoed) return;
    const visit = JSON.stringify([before?.$ref ?? where, after?.$ref ?? where, direction]);
    if (this.#seen.has(visit)) return;
    this.#seen.add(visit);
    const [old, now] = [resolved(this.#before, before), resolved(this.#after, after)];
    if (old === undefined) return;
    if (now === undefined) return void this.found.push(`${where}: is gone`);
    this.#types(where, old, now, direction);
    this.#bounds(where, old, now, direction);
    this.#properties(where, old, now, direction);
    if (old.items) this.schemas(`${where}[]`, old.items, now.items, direction);
    const notNull = (/** @type {Json} */ one) => one.type !== 'null';
    const [one, ...others] = (old.anyOf ?? []).filter(notNull);
    if (one && others.length === 0) this.schemas(where, one, now.anyOf?.find(notNull) ?? now, direction);
  }

  /** @param {string} where @param {Json} old @param {Json} now @param {Direction} direction */
  #types(where, old, now, direction) {
    const [was, is] = [typesOf(this.#before, old), typesOf(this.#after, now)];
    const [given, taken] = direction === 'request' ? [was, is] : [is, was];
    for (const type of given) {
      const isTaken = taken.size === 0 || taken.has(type) || (type === 'integer' && taken.has('number'));
      if (!isTaken)
        this.found.push(`${where}: ${direction === 'request' ? 'takes no' : 'may be'} ${type} now`);
    }
    if (direction !== 'request' || now.enum === undefined) return;
    if (old.enum === undefined) this.found.push(`${where}: takes certain values only now`);
    for (const value of (old.enum ?? []).filter((/** @type {Json} */ one) => !now.enum.includes(one)))
      this.found.push(`${where}: takes no ${JSON.stringify(value)} now`);
  }

  /** Limits of what a client may send. @param {string} where @param {Json} old @param {Json} now @param {Direction} direction */
  #bounds(where, old, now, direction) {
    if (direction === 'reply') return;
    for (const name of ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
      if (now[name] < (old[name] ?? Infinity)) this.found.push(`${where}: ${name} is ${now[name]} now`);
    for (const name of ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'])
      if (now[name] > (old[name] ?? -Infinity)) this.found.push(`${where}: ${name} is ${now[name]} now`);
    if (now.pattern !== undefined && now.pattern !== old.pattern)
      this.found.push(`${where}: its pattern is ${now.pattern} now`);
  }

  /** @param {string} where @param {Json} old @param {Json} now @param {Direction} direction */
  #properties(where, old, now, direction) {
    for (const [name, schema] of Object.entries(old.properties ?? {}))
      this.schemas(`${where}.${name}`, schema, now.properties?.[name], direction);
    const [promised, kept] = direction === 'request' ? [now, old] : [old, now];
    const lacking = (promised.required ?? []).filter(
      (/** @type {string} */ name) =>
        !kept.required?.includes(name) && (direction === 'request' || now.properties?.[name]),
    );
    for (const name of lacking)
      this.found.push(
        `${where}.${name}: is ${direction === 'request' ? 'required' : 'not always there'} now`,
      );
    const rest = [old.additionalProperties, now.additionalProperties];
    if (typeof rest[0] === 'object') this.schemas(`${where}.*`, rest[0], rest[1], direction);
  }

  /** @param {string} where @param {Json} old @param {Json} now */
  operations(where, old, now) {
    if (now === undefined) return void this.found.push(`${where}: is gone`);
    if (now.operationId !== old.operationId)
      this.found.push(`${where}: is called ${now.operationId} now, and was ${old.operationId}`);
    this.#parameters(where, old, now);
    const [was, is] = [old.requestBody, now.requestBody];
    if (is?.required && !was?.required) this.found.push(`${where}: needs a body now`);
    for (const [mediaType, { schema }] of Object.entries(was?.content ?? {}))
      this.schemas(`${where} body`, schema, is?.content?.[mediaType]?.schema, 'request');
    this.#replies(where, old, now);
  }

  /** @param {string} where @param {Json} old @param {Json} now */
  #parameters(where, old, now) {
    const named = (/** @type {Json} */ document, /** @type {Json[]} */ parameters) =>
      new Map(
        parameters
          .map((one) => resolved(document, one))
          .map((one) => [`${one.in} parameter ${one.name}`, one]),
      );
    const [was, is] = [named(this.#before, old.parameters), named(this.#after, now.parameters)];
    for (const [name, { schema }] of was)
      this.schemas(`${where} ${name}`, schema, is.get(name)?.schema, 'request');
    for (const [name, { required }] of is)
      if (required && !was.get(name)?.required) this.found.push(`${where} ${name}: is required now`);
  }

  /** @param {string} where @param {Json} old @param {Json} now */
  #replies(where, old, now) {
    for (const [status, reply] of Object.entries(old.responses)) {
      const is = resolved(this.#after, now.responses[status]);
      const place = `${where} ${status}`;
      // A client does not depend on an error that no longer occurs.
      if (is === undefined && Number(status) < 400) this.found.push(`${place}: is gone`);
      if (is === undefined) continue;
      const was = resolved(this.#before, reply);
      for (const [mediaType, { schema }] of Object.entries(was.content ?? {}))
        this.schemas(`${place} ${mediaType}`, schema, is.content?.[mediaType]?.schema, 'reply');
      for (const header of Object.keys(was.headers ?? {}))
        if (!is.headers?.[header]) this.found.push(`${place} header ${header}: is gone`);
    }
  }
}

/**
 * Sentences about each break; none when every client of `before` gets on with `after`.
 * @param {Json} before @param {Json} after
 */
export function breakingChanges(before, after) {
  const comparison = new Comparison(before, after);
  for (const [path, item] of Object.entries(before.paths))
    for (const [method, operation] of Object.entries(item))
      comparison.operations(`${method.toUpperCase()} ${path}`, operation, after.paths[path]?.[method]);
  return comparison.found;
}

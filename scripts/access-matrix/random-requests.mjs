/** Random requests to the operations of an API: some that a client could mean, and some that no client would send. */

import { makeRandom } from '../lib/random.mjs';

const odd = [
  '',
  '..',
  '../../etc',
  '%00',
  'a%2fb',
  '*',
  '-x',
  '__proto__',
  'x'.repeat(300),
  '\u{1f600}',
  'job-1-000000',
  '0',
  '150',
  'default',
];

/** The names of properties, of parameters in the query, and the values of enumerations in a description of an API. @param {unknown} document */
function vocabularyOf(document) {
  const [fields, queries, words] = [
    new Set(['jsonrpc', 'method']),
    new Set(['_']),
    new Set(['true', 'false']),
  ];
  JSON.stringify(document, (_key, value) => {
    if (Array.isArray(value?.enum)) for (const word of value.enum) words.add(word);
    if (value?.in === 'query') queries.add(value.name);
    if (typeof value?.properties === 'object')
      for (const name of Object.keys(value.properties)) fields.add(name);
    return value;
  });
  return { fields: [...fields], queries: [...queries], words: [...words] };
}

/**
 * @template {{ method: string, path: string }} Operation
 * @param {{ operations: readonly Operation[], document: unknown, labs: string, seed: number }} means document: the description of the API
 */
export function randomRequests({ operations, document: api, labs, seed }) {
  const { fields, queries, words } = vocabularyOf(api);
  const next = makeRandom(seed);
  const oneOf = (/** @type {readonly any[]} */ list) => list[Math.floor(next() * list.length)];
  const text = () =>
    oneOf([oneOf(odd), oneOf(words), labs, `${labs}/none`, String(Math.floor(next() * 1000))]);
  /** @param {number} depth @returns {unknown} */
  const value = (depth) => {
    const kind = next();
    if (kind < 0.5 || depth > 3) return text();
    if (kind < 0.65) return Math.floor(next() * 100_000) - 100;
    if (kind < 0.72) return oneOf([true, false, null, 1.5, -1]);
    if (kind < 0.86) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth + 1));
    return document(depth + 1);
  };
  /** @param {number} depth */
  const document = (depth) =>
    Object.fromEntries(Array.from({ length: Math.floor(next() * 5) }, () => [oneOf(fields), value(depth)]));
  const query = () => {
    if (next() < 0.5) return '';
    // A long wait would be waited for.
    const pair = () => {
      const name = oneOf(queries);
      return `${name}=${encodeURIComponent(name === 'wait' ? '0' : text())}`;
    };
    return `?${Array.from({ length: 1 + Math.floor(next() * 3) }, pair).join('&')}`;
  };
  const bodyOf = (/** @type {string} */ method) => {
    if (method === 'GET') return undefined;
    const kind = next();
    if (kind < 0.1) return oneOf(['', '{', '[]', 'null', '"text"', '{"a":', '\u0000']);
    if (kind < 0.3)
      return JSON.stringify({ action: oneOf(words), workdir: labs, topology: 'nodes: [a]', ...document(0) });
    return JSON.stringify(document(0));
  };
  return () => {
    const operation = /** @type {Operation} */ (oneOf(operations));
    const path = operation.path.replaceAll(/\{\w+\}/g, () =>
      next() < 0.5 ? encodeURIComponent(text()) : 'nothing',
    );
    const { method } = operation;
    const headers = /** @type {Record<string, string>} */ (
      next() < 0.2
        ? {
            [oneOf(['If-Match', 'If-None-Match', 'Range', 'Idempotency-Key', 'Last-Event-ID', 'Accept'])]:
              oneOf(['*', '"x"', 'bytes=0-', '1', 'a b']),
          }
        : {}
    );
    return { operation, method, target: `${path}${query()}`, headers, body: bodyOf(method) };
  };
}

import { stringify } from 'yaml';
import type { HttpContext } from '../context.ts';
import { jsonText } from '../reply/json.ts';
import type { Route } from '../route.ts';
import { apiDocument } from './api-document.ts';
import { readRecordedExamples } from './recorded-examples.ts';

interface ServedDocument {
  readonly json: Buffer;
  readonly yaml: Buffer;
}

const byContext = new WeakMap<HttpContext, ServedDocument>();

/** The description of what this service does, as bytes; made at the first request for it, so that no start waits for it. */
export function servedDocument(routes: readonly Route[], context: HttpContext): ServedDocument {
  const known = byContext.get(context);
  if (known) return known;
  const { config, version } = context;
  const { basePath, publicHealthz } = config;
  const served = { version, basePath, publicHealthz, hasAuth: config.auth !== undefined };
  const document = apiDocument(routes, served, readRecordedExamples());
  const made = {
    json: Buffer.from(jsonText(document)),
    yaml: Buffer.from(stringify(document, { aliasDuplicateObjects: false })),
  };
  byContext.set(context, made);
  return made;
}

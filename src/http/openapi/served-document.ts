import { asksForLogin } from '../../config/protection.ts';
import type { HttpContext } from '../context.ts';
import { jsonText } from '../reply/json.ts';
import type { Route } from '../route.ts';
import { apiDocument } from './api-document.ts';
import { recordedExamples } from './recorded-examples.ts';

interface ServedDocument {
  readonly json: Buffer;
  /** Made when it is asked for, because a package is loaded for it. */
  readonly yaml: () => Promise<Buffer>;
}

const byContext = new WeakMap<HttpContext, ServedDocument>();

async function yamlOf(document: object): Promise<Buffer> {
  const { stringify } = await import('yaml');
  return Buffer.from(stringify(document, { aliasDuplicateObjects: false }));
}

/** The description of what this service does, as bytes; made at the first request for it, so that no start waits for it. */
export function servedDocument(routes: readonly Route[], context: HttpContext): ServedDocument {
  const known = byContext.get(context);
  if (known) return known;
  const { config, version } = context;
  const { basePath, publicHealthz } = config;
  const served = { version, basePath, publicHealthz, hasAuth: asksForLogin(config) };
  const document = apiDocument(routes, served, recordedExamples);
  let yaml: Promise<Buffer> | undefined;
  const made = {
    json: Buffer.from(jsonText(document)),
    yaml: async () => (yaml ??= yamlOf(document)),
  };
  byContext.set(context, made);
  return made;
}

/** A route that every host answers: asks the others while this one answers by itself, and makes one reply of all. */
import type { Request, Response } from 'express';
import type { HttpContext } from '../context.ts';
import { isMapping } from '../../lib/mapping.ts';
import type { Answers, Reply, Route } from '../route.ts';
import { jsonText } from '../reply/json.ts';
import { strongETag } from '../reply/etag.ts';
import { gather, type Gathered } from './gather.ts';
import { isPassedOn } from './peer-request.ts';
import { askerOf, pathOf } from './peers.ts';

/** Of any route: what they have in common. */
interface Input {
  readonly req: Request;
  readonly res: Response;
  readonly query: { readonly host?: string; readonly cli?: string };
  readonly context: HttpContext;
}

type Whole = Extract<Reply, { kind: 'json' | 'bytes' }>;

/** Those that hold for one document and not for another. */
function keptHeaders({ headers = {} }: Whole): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'ETag' && name !== 'Link'));
}

/** A reply that is not a JSON object did not come from the host itself, but perhaps from a proxy. */
function readable({ parts, missing }: Gathered): Pick<Answers, 'parts' | 'missing'> {
  const read = parts.map(({ host, text }) => ({ host, value: parsed(text) }));
  return {
    parts: read.flatMap(({ host, value }) => (value ? [{ host, value }] : [])),
    missing: [...missing, ...read.flatMap(({ host, value }) => (value ? [] : [host]))],
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text output of lab CLIs, each under the name of its host. */
function mergedText(own: Buffer, { parts, missing }: Gathered, { name }: { readonly name: string }): string {
  const answers = [{ host: { name }, text: own.toString() }, ...parts].map(
    ({ host, text }) => `# ${host.name}\n${text}`,
  );
  return [...answers, ...missing.map((host) => `# ${host.name}\n(does not answer)\n`)].join('\n');
}

/** `answerHere` gives the reply of this host. */
export async function replyOfAll(
  route: Route,
  input: Input,
  answerHere: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const { req, res, query, context } = input;
  const { cluster, config } = context;
  if (!cluster || !route.merge || isPassedOn(req) || query.host !== undefined) return answerHere();
  const caching = req.get('Cache-Control');
  const headers = { ...(caching !== undefined && { 'cache-control': caching }) };
  const path = pathOf(req, config.basePath);
  const gathering = gather(cluster, {
    path,
    cli: query.cli,
    asker: askerOf(req.principal),
    headers,
    res,
  });
  const own = await answerHere();
  if (own.kind !== 'json' && own.kind !== 'bytes') return own;
  const answers = await gathering;
  if (own.kind === 'bytes' && own.headers['Content-Type']?.startsWith('text/plain')) {
    const bytes = Buffer.from(mergedText(own.bytes, answers, cluster));
    return { kind: 'bytes', bytes, headers: keptHeaders(own) };
  }
  const json: unknown = own.kind === 'json' ? own.value : JSON.parse(own.bytes.toString());
  const merged = await route.merge(
    { ...readable(answers), own: json as Readonly<Record<string, unknown>>, cluster },
    input as never,
  );
  const text = jsonText(merged.value);
  const ofMerged = {
    ...keptHeaders(own),
    ...merged.headers,
    ...(own.headers?.['ETag'] && { ETag: strongETag(text) }),
  };
  return { kind: 'json', status: 200, value: merged.value, text, headers: ofMerged };
}

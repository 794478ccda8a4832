/** Requests of tools to the service. */
import { boundedText, parsedObject, type JsonObject } from '../client/expected.ts';
import type { LabApiClient } from '../client/lab-api-client.ts';
import { deferred } from '../lib/async/deferred.ts';
import { Semaphore } from '../lib/async/semaphore.ts';
import { ConnectionError, UnexpectedReply } from '../client/service-error.ts';

/** A method and a path, as the description of the API has them; `{NAME}` is the input of that name. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export interface Reply {
  readonly text: string;
  /** The same as an object, when it is JSON; undefined for a reply without a body. */
  readonly data: JsonObject | string | undefined;
  readonly etag: string | null;
}

interface Extras {
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, in place of JSON. */
  readonly text?: string;
  /** As the client has it: a status of an error that is none here. */
  readonly accepted?: number;
}

/** Sends a request: inputs that are no part of the path go into the query, or into the body of methods that have one. */
export type Ask = (
  operation: Operation,
  fields: Readonly<Record<string, unknown>>,
  extras?: Extras,
) => Promise<Reply>;

type QueryValue = string | number | boolean | undefined;

/** A path has slashes of its own; a part of it has none. */
function encoded(name: string, value: string): string {
  return (name === 'path' ? value.split('/') : [value]).map(encodeURIComponent).join('/');
}

/** A tool reads no more than that, in bytes: an assistant could not. */
const mostBytes = 32 * 1024 * 1024;

/** A reply that is no longer waits for no other one, in bytes: a capture of a few packets may take half a minute to come. */
const shortBytes = 1024 * 1024;

/** Longer replies that are read at the same time, by all calls together: each is in memory as a whole. */
const longAtOnce = new Semaphore(8);

/** Resolves when a long reply may be read, until `over` resolves. @throws the reason of `signal`, which ends the wait. */
async function turnOfLong(over: Promise<void>, signal: AbortSignal): Promise<void> {
  const begun = deferred<void>();
  longAtOnce
    .run(async () => {
      begun.resolve();
      await over;
    }, signal)
    .catch(begun.reject);
  await begun.promise;
}

async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  const over = deferred<void>();
  let turn: Promise<void> | undefined;
  let bytes = 0;
  const paced = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (part, controller) => {
      bytes += part.length;
      if (bytes > shortBytes) await (turn ??= turnOfLong(over.promise, signal));
      controller.enqueue(part);
    },
  });
  try {
    const body = (response.body as ReadableStream<Uint8Array> | null)?.pipeThrough(paced);
    return await boundedText(new Response(body ?? null), mostBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnexpectedReply)
      throw new UnexpectedReply('a tool reads 32 MiB at most: download it with lab or curl', {
        cause: error,
      });
    throw new ConnectionError('the connection was lost in the middle of the reply', { cause: error });
  } finally {
    over.resolve();
  }
}

async function replyOf(response: Response, isFile: boolean, signal: AbortSignal): Promise<Reply> {
  const { status, headers } = response;
  const text = await textOf(response, signal);
  const isJson = !isFile && headers.get('Content-Type')?.startsWith('application/json') === true;
  const data = isJson ? parsedObject(text) : text;
  return { text, data: status === 204 ? undefined : data, etag: headers.get('ETag') };
}

/** `signal` ends the requests. */
export function asking(client: LabApiClient, signal: AbortSignal): Ask {
  return async (operation, fields, { headers, text, accepted } = {}) => {
    const [method = '', template = ''] = operation.split(' ');
    const left = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
    const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const value = String(left.get(name));
      left.delete(name);
      return encoded(name, value);
    });
    // The body of a workspace is an archive.
    const takesFields = operation !== 'PUT /workspaces/{name}';
    const hasBody = method.startsWith('P') && text === undefined && takesFields;
    // A job is submitted with all of its fields. Elsewhere, these two select where to look for what the path names.
    const isForQuery = (name: string): boolean =>
      !hasBody || ((name === 'cli' || name === 'host') && template !== '/jobs');
    const query = Object.fromEntries([...left].filter(([name]) => isForQuery(name)));
    const body = Object.fromEntries([...left].filter(([name]) => !isForQuery(name)));
    const response = await client.send(method, path, {
      query: query as Record<string, QueryValue>,
      ...(headers && { headers }),
      // A workspace without a body is an empty one.
      ...(Object.keys(body).length > 0 && { body }),
      ...(text !== undefined && { stream: new Blob([text]) }),
      accepted,
      signal,
    });
    // A file of a user is text, also one with JSON in it.
    return replyOf(response, template.endsWith('/{path}'), signal);
  };
}

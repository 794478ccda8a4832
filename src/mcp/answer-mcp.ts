/**
 * The tools over HTTP (Streamable HTTP): one request, one answer, and nothing is kept between two of them. The id of a session only
 * tells which calls one client has under way, so that it can cancel them.
 */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { Agent, fetch as send } from 'undici';
import { AppError } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import { LabApiClient } from '../client/lab-api-client.ts';
import { isMapping } from '../lib/mapping.ts';
import { createMcpServer, type McpSettings } from './mcp-server.ts';

export interface McpCall {
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The name of the user; null on a server without users. */
  readonly user: string | null;
  /** With what the tools ask the service: it stands for the user for as long as the answer takes. */
  readonly secret: string;
  /** Under which the request stands in the log. */
  readonly requestId: string;
  /** Parsed already. */
  readonly body: unknown;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface McpAnswer {
  readonly status: number;
  /** JSON; empty for a message that wants no answer. */
  readonly text: string;
  /** For the header `Mcp-Session-Id`, when a client begins. */
  readonly session?: string | undefined;
}

interface SelfSettings extends Pick<McpSettings, 'version' | 'onFault'> {
  /** Where this very service listens, with its base path. */
  readonly url: string;
}

/** This process itself listens there, so the name in its certificate does not matter. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

/** `fetch` to this very service. An address that stands for all of the machine's own is reached by any of them. */
const fetchSelf: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  // Both are the same standard; only their types come from two packages.
  const sendAnything = send as unknown as (input: URL, init: object) => Promise<Response>;
  return sendAnything(url, { ...init, dispatcher });
};

/** The headers that the transport reads. */
const ofProtocol = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id'] as const;

function pick(headers: McpCall['headers'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Functions that cancel the calls that are under way, by user, session and id: a client can name the session of another one. */
const underWay = new Map<string, () => void>();

/** A message that the transport has accepted, as far as cancellation is concerned. */
interface Heard {
  readonly method?: unknown;
  /** Under which another request may cancel it. */
  readonly key?: string | undefined;
  /** The call that it cancels. */
  readonly canceled?: string | undefined;
}

function heard({ body, headers, user }: Pick<McpCall, 'body' | 'headers' | 'user'>): Heard {
  if (!isMapping(body)) return {};
  const { id, method, params } = body;
  const session = headers['mcp-session-id'];
  if (session === undefined) return { method };
  const { requestId } = isMapping(params) ? params : {};
  const keyOf = (call: unknown): string => JSON.stringify([user, session, call]);
  const isCancel = method === 'notifications/cancelled';
  return {
    method,
    ...(id !== undefined && { key: keyOf(id) }),
    ...(isCancel && { canceled: keyOf(requestId) }),
  };
}

/** Of the JSON-RPC error with which the transport refuses what is no message. */
function sentenceOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : text;
  } catch {
    return text;
  }
}

/** @throws AppError `invalid-request` for what is no message of the protocol, and `shutting-down`. */
export async function answerMcp(call: McpCall, { url, ...settings }: SelfSettings): Promise<McpAnswer> {
  const { headers, secret, requestId, body, signal } = call;
  const caller = { authorization: `Bearer ${secret}`, 'x-request-id': requestId };
  // Through the front door, as the one who asks: whatever that user may not do, no tool does.
  const asCaller: typeof fetch = async (input, init) =>
    fetchSelf(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...caller } });
  const server = createMcpServer({ ...settings, client: new LabApiClient({ url, fetch: asCaller }) });
  // Without a generator of session ids, there are no sessions.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const { method, key, canceled } = heard(call);
  const gone = deferred<undefined>();
  gone.promise.catch(() => undefined);
  const giveUp = (): void => gone.reject(new AppError('shutting-down', 'the service is shutting down'));
  signal.addEventListener('abort', giveUp, { once: true });
  const cancel = (): void => gone.resolve(undefined);
  if (key !== undefined) underWay.set(key, cancel);
  try {
    await server.connect(transport);
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: pick(headers, ofProtocol),
    });
    // A server that was closed answers nothing, ever.
    const response = await Promise.race([
      transport.handleRequest(request, { parsedBody: body }),
      gone.promise,
    ]);
    // Its client waits for no answer.
    if (response === undefined) return { status: 202, text: '' };
    const text = await response.text();
    if (response.status >= 400) throw new AppError('invalid-request', sentenceOf(text));
    if (canceled !== undefined) underWay.get(canceled)?.();
    return { status: response.status, text, session: method === 'initialize' ? randomUUID() : undefined };
  } finally {
    signal.removeEventListener('abort', giveUp);
    if (key !== undefined && underWay.get(key) === cancel) underWay.delete(key);
    // Ends tools that still run.
    await server.close().catch(() => undefined);
  }
}

/** Requests to one service: where it is, who asks, and what a reply that is none is called. */
import { boundedText, parsedObject, serviceErrorOf, type JsonObject } from './expected.ts';
import { ConnectionError, UnexpectedReply, type LossReason } from './service-error.ts';

/** The credentials: a user with a password (HTTP Basic, RFC 7617), or a token (RFC 6750). */
export type Credentials = { readonly user: string; readonly password: string } | { readonly token: string };

/** Opens a WebSocket whose request has these headers. */
type OpenSocket = (url: URL, headers: Readonly<Record<string, string>>) => Promise<WebSocket>;

export interface ConnectionOptions {
  /** Where the service is, with its base path: `https://lab.example.org:8090/netlab`. */
  readonly url: string;
  readonly credentials?: Credentials | undefined;
  /** In place of the global `fetch`: for a certificate authority of one's own, or a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /** For terminals. The global `WebSocket`, where there is one, may have no headers for the credentials. */
  readonly openSocket?: OpenSocket | undefined;
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, piece by piece. */
  readonly stream?: ReadableStream<Uint8Array> | Blob | undefined;
  /** A status of 400 or more that is a reply like any other when its body is JSON and no problem document. */
  readonly accepted?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a header can hold it; `fetch` itself would put a token that it refuses into its complaint. */
export function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

function authorizationOf(credentials: Credentials): string {
  if ('token' in credentials) {
    if (isToken(credentials.token)) return `Bearer ${credentials.token}`;
    throw new TypeError('the token must be visible ASCII characters only');
  }
  const bytes = new TextEncoder().encode(`${credentials.user}:${credentials.password}`);
  return `Basic ${btoa(String.fromCodePoint(...bytes))}`;
}

function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new TypeError('not an http or https URL');
}

interface Loss {
  readonly sentence: string;
  /** Undefined when nothing more is known than the sentence. */
  readonly reason?: LossReason;
}

/** The fields that an error of `fetch` may have. It may come from another realm, so `instanceof` does not work. */
interface Fault {
  readonly message?: unknown;
  readonly code?: unknown;
  /** Of a socket that was closed (undici). */
  readonly socket?: { readonly bytesRead?: unknown } | null;
  /** Of a certificate that is for another name (`tls.checkServerIdentity`). */
  readonly host?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown; readonly subject?: { readonly CN?: unknown } };
}

const mostNames = 5;

/** `fetch failed` says nothing; its cause does, and of several addresses the last one's. */
function innermost(error: unknown): Fault {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { cause, errors } = error as { cause?: unknown; errors?: readonly unknown[] };
  const inner = errors?.at(-1) ?? cause;
  return inner === undefined ? error : innermost(inner);
}

/** `DNS:a.example, IP Address:10.0.0.1` as `a.example, 10.0.0.1`; a certificate without such names is for its common name. */
function namesIn({ cert }: Fault): string {
  const { subjectaltname: listed, subject } = cert ?? {};
  if (typeof listed !== 'string') return typeof subject?.CN === 'string' ? subject.CN : 'no name';
  const names = listed.split(', ').map((name) => name.replace(/^[\w ]+:/, ''));
  return names.length > mostNames ? `${names.slice(0, mostNames).join(', ')}, …` : names.join(', ');
}

/** Why no reply came from `base`, the address of the service. */
export function whyLost(error: unknown, base: string): Loss {
  const fault = innermost(error);
  // OpenSSL's own sentences end their line.
  const sentence = String(fault.message).trim();
  const mayBeTls = {
    sentence: `${sentence}; perhaps its URL begins with https://`,
    reason: 'may-be-tls',
  } as const;
  switch (fault.code) {
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return { sentence: 'it speaks plain HTTP: use http://', reason: 'plain-http' };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return { sentence: `its certificate is not trusted (${sentence})`, reason: 'untrusted' };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        sentence: `its certificate is for ${namesIn(fault)}, not for ${String(fault.host)}`,
        reason: 'other-name',
      };
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return { sentence: `its ${sentence}`, reason: 'out-of-date' };
    case 'ERR_TLS_OTHER_KEY':
      return { sentence: `${sentence} than the one to be trusted`, reason: 'other-key' };
    case 'UND_ERR_SOCKET':
      // Closed without a word: so do servers that wait for TLS. One that dies in the middle of a reply has said something.
      return base.startsWith('http:') && fault.socket?.bytesRead === 0 ? mayBeTls : { sentence };
    case 'HPE_INVALID_CONSTANT':
      // Others answer with an alert of TLS, which is no HTTP.
      return base.startsWith('http:') ? mayBeTls : { sentence };
    default:
      return { sentence };
  }
}

/** Of redirects (https://fetch.spec.whatwg.org/#redirect-status). Browsers do not show the status: it is 0 there. */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Refuses redirects: one that is followed takes the password to wherever it points. Not by `redirect: 'error'`, with which the `fetch`
 * of Node may forget the signal of a request while its reply is read (https://github.com/nodejs/undici/issues/4627).
 */
async function unredirected(response: Response): Promise<Response> {
  if (response.type !== 'opaqueredirect' && !redirectStatuses.has(response.status)) return response;
  await response.body?.cancel();
  throw new TypeError('unexpected redirect');
}

function isAccepted({ status, headers }: Response, { accepted }: RequestOptions): boolean {
  return status === accepted && /^application\/json\b/.test(headers.get('Content-Type') ?? '');
}

export class Connection {
  readonly #base: string;
  readonly #authorization: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #openSocket: OpenSocket | undefined;
  #wasReached = false;

  /** @throws TypeError when the URL is missing, or not one of http or https. */
  constructor({ url, credentials, fetch: ownFetch, openSocket }: ConnectionOptions) {
    // Programs in JavaScript may leave it out: an environment variable that is not set.
    if (!(url as unknown)) throw new TypeError('url is required: http://127.0.0.1:8090, for example');
    const parsed = parsedUrl(url);
    if (parsed.username !== '' || parsed.password !== '')
      throw new TypeError('the URL must not contain a password: lists of processes would show it');
    this.#base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
    this.#authorization = credentials && authorizationOf(credentials);
    this.#fetch = ownFetch ?? fetch;
    this.#openSocket = openSocket;
  }

  /**
   * The reply, as soon as its headers are there.
   * @throws ServiceError for a status of 400 or more that is not `accepted`, ConnectionError when there is no reply, and what `signal` was
   * aborted with.
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.lossNamed(
      async () => unredirected(await this.#fetch(...this.#request(method, path, options))),
      options,
    );
    this.#wasReached = true;
    if (response.status >= 400 && !isAccepted(response, options)) throw await serviceErrorOf(response);
    return response;
  }

  /** The JSON object that is the reply. @throws UnexpectedReply when it is none. */
  async json(method: string, path: string, options: RequestOptions = {}): Promise<JsonObject> {
    return parsedObject(await this.text(method, path, options));
  }

  async text(method: string, path: string, options: RequestOptions = {}): Promise<string> {
    const response = await this.send(method, path, options);
    return this.lossNamed(async () => boundedText(response), options);
  }

  /**
   * Opens a WebSocket and gives what `use` makes of it. `use` is called before it opens, because messages may follow at once.
   * @throws ServiceError when the service refuses, and one with the status 426 when only the WebSocket fails.
   */
  async webSocket<Used>(
    path: string,
    { query }: Pick<RequestOptions, 'query'>,
    use: (socket: WebSocket) => Used,
  ): Promise<Used> {
    if (this.#openSocket === undefined) throw new TypeError('terminals need the option openSocket');
    const url = this.#url(path, query);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = await this.#openSocket(url, this.#credentials());
    const used = use(socket);
    const isOpen = new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true));
      socket.addEventListener('close', () => resolve(false));
      // It failed before this could listen: the port is one that is never asked.
      if (socket.readyState === socket.CLOSED) resolve(false);
    });
    if (await isOpen) return used;
    // A WebSocket does not tell why it was refused. The same request without one gets the same refusal.
    await (await this.send('GET', path, { query: query ?? {} })).body?.cancel();
    throw new UnexpectedReply('the reply is not a WebSocket');
  }

  /** Turns whatever `fetch` throws when a connection is lost, also in the middle of a body, into a ConnectionError. */
  async lossNamed<T>(action: () => Promise<T>, { signal }: Pick<RequestOptions, 'signal'>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof UnexpectedReply) throw error;
      const { sentence, reason } = whyLost(error, this.#base);
      const neverReached = !this.#wasReached;
      throw new ConnectionError(`${this.#base}: ${sentence}`, { cause: error, reason, neverReached });
    }
  }

  #url(path: string, query: RequestOptions['query'] = {}): URL {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query))
      for (const one of [value ?? []].flat()) url.searchParams.append(name, String(one));
    return url;
  }

  #credentials(): Record<string, string> {
    return this.#authorization === undefined ? {} : { Authorization: this.#authorization };
  }

  #request(
    method: string,
    path: string,
    { query, headers, body, stream, signal }: RequestOptions,
  ): [URL, RequestInit] {
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: {
        ...this.#credentials(),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      // `unredirected` refuses them.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A body that is sent while it is made has to be announced as that (https://fetch.spec.whatwg.org/#enumdef-requestduplex).
      ...(stream && { body: stream, ...(stream instanceof ReadableStream && { duplex: 'half' }) }),
      ...(signal && { signal }),
    };
    return [this.#url(path, query), init];
  }
}

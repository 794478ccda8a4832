/** Requests to one service: where it is, who asks, and what a reply that is none is called. */
import { boundedText, parsedObject, serviceErrorOf, type JsonObject } from './expected.ts';
import { ConnectionError, UnexpectedReply } from './service-error.ts';
import { whyLost } from './why-lost.ts';

/** The credentials: a user with a password (HTTP Basic, RFC 7617), or a token (RFC 6750). */
export type Credentials = { readonly user: string; readonly password: string } | { readonly token: string };

export interface ConnectionOptions {
  /** Where the service is, with its base path: `https://lab.example.org:8090/netlab`. */
  readonly url: string;
  readonly credentials?: Credentials | undefined;
  /** In place of the global `fetch`: for a certificate authority of one's own, or a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, piece by piece. */
  readonly stream?: ReadableStream<Uint8Array> | Blob | undefined;
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

export class Connection {
  readonly #base: string;
  readonly #authorization: string | undefined;
  readonly #fetch: typeof fetch;

  /** @throws TypeError when the URL is missing, or not one of http or https. */
  constructor({ url, credentials, fetch: ownFetch }: ConnectionOptions) {
    // Programs in JavaScript may leave it out: an environment variable that is not set.
    if (!(url as unknown)) throw new TypeError('url is required: http://127.0.0.1:8090, for example');
    const parsed = parsedUrl(url);
    if (parsed.username !== '' || parsed.password !== '')
      throw new TypeError('the URL must not contain a password: lists of processes would show it');
    this.#base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
    this.#authorization = credentials && authorizationOf(credentials);
    this.#fetch = ownFetch ?? fetch;
  }

  /**
   * The reply, as soon as its headers are there.
   * @throws ServiceError for a status of 400 or more, ConnectionError when there is no reply, and what `signal` was
   * aborted with.
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.lossNamed(
      async () => this.#fetch(...this.#request(method, path, options)),
      options,
    );
    if (response.status >= 400) throw await serviceErrorOf(response);
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

  /** Turns whatever `fetch` throws when a connection is lost, also in the middle of a body, into a ConnectionError. */
  async lossNamed<T>(action: () => Promise<T>, { signal }: Pick<RequestOptions, 'signal'>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof UnexpectedReply) throw error;
      const { sentence, reason } = whyLost(error, this.#base);
      throw new ConnectionError(`${this.#base}: ${sentence}`, { cause: error, reason });
    }
  }

  #request(
    method: string,
    path: string,
    { query, headers, body, stream, signal }: RequestOptions,
  ): [URL, RequestInit] {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query ?? {}))
      for (const one of [value ?? []].flat()) url.searchParams.append(name, String(one));
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: {
        ...(this.#authorization !== undefined && { Authorization: this.#authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      // A redirect would be followed with the password to wherever it points.
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A body that is sent while it is made has to be announced as that (https://fetch.spec.whatwg.org/#enumdef-requestduplex).
      ...(stream && { body: stream, ...(stream instanceof ReadableStream && { duplex: 'half' }) }),
      ...(signal && { signal }),
    };
    return [url, init];
  }
}

/**
 * URLs that clients have the service ask: which are sound, which hosts may be asked, and at which address. The service may
 * reach what its clients may not, so what is on this machine or link is refused unless the administrator has named it.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { AppError, invalidField } from '../app-error.ts';
import { isForbiddenAddress, ownAddresses } from './local-address.ts';

/** An address that a connection is pinned to. */
interface Pinned {
  readonly address: string;
  readonly family: 4 | 6;
}

function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** `lab.example:8080`, `[::1]:80` and `lab.example` as the host alone. */
function allowedHost(entry: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(entry.trim());
  if (bracketed?.[1] !== undefined) return bareHost(bracketed[1]);
  return bareHost(isIP(entry.trim()) === 6 ? entry.trim() : entry.trim().replace(/:\d+$/, ''));
}

/** Whether the host of the URL is in the list of allowed hosts. */
export function isAmong(allowedHosts: readonly string[], { hostname }: URL): boolean {
  return allowedHosts.some((entry) => allowedHost(entry) === bareHost(hostname));
}

function refused(field: string, message: string): AppError {
  return new AppError('forbidden-host', `${field}: ${message}`, { errors: [{ field, message }] });
}

/** A URL with a user name or a password, as the parser reads it: for descriptions, which have no parser. */
export const userInUrl = String.raw`^[^:/?#\\]*:[/\\]*[^/?#\\]*[^/?#\\:@][^/?#\\]*@`;

/**
 * The URL parser turns `http://0x7f.1/` into 127.0.0.1 and `localhost.` stays a name; both are checked by `addressesOf`.
 * @throws AppError `invalid-request` that names the field.
 */
export function parseOutboundUrl(field: string, text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw invalidField(field, 'must be an absolute http or https URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidField(field, 'must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidField(field, 'must not hold a user name or password: it would end up in records and logs');
  }
  return url;
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** All addresses of a host, as the system knows them. */
export const systemLookup = async (host: string): Promise<LookupAddress[]> => lookup(host, { all: true });

export interface OutboundTerms {
  /** Of the request, which holds the URL. */
  readonly field: string;
  /** The one that names the hosts that may be asked. */
  readonly variable: string;
  /** Hosts as the variable has them; when there are any, only these may be asked, at whatever address they have. */
  readonly allowedHosts: readonly string[];
  readonly signal: AbortSignal;
  /** Of the system, unless a test has names of its own. */
  readonly lookupAll?: typeof systemLookup;
}

/**
 * The addresses of the URL's host, every one of them checked.
 * @throws AppError `forbidden-host`, the reason of `signal`, or what the resolver says.
 */
export async function addressesOf(url: URL, terms: OutboundTerms): Promise<Pinned[]> {
  const { field, variable, signal, lookupAll = systemLookup } = terms;
  const host = bareHost(url.hostname);
  if (terms.allowedHosts.length > 0 && !isAmong(terms.allowedHosts, url)) {
    throw refused(field, `the host ${host} is not among those that this server allows (${variable})`);
  }
  // The resolver has no time-out that we could set, and cannot be cancelled; we stop waiting for it.
  const found = await abortable(lookupAll(host), signal);
  // Naming a host in the list is the administrator's word that it may be reached, wherever it is.
  if (terms.allowedHosts.length === 0) {
    const own = await ownAddresses();
    if (found.some(({ address }) => isForbiddenAddress(address, own)))
      throw refused(field, `the host ${host} is on this machine or link; ${variable} can allow it by name`);
  }
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** Answers every question with the checked addresses: a second DNS answer may be another one (DNS rebinding). */
export function pinnedLookup(pinned: readonly Pinned[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = pinned;
    if (first === undefined) callback(new Error('no address'), '', 0);
    else if (options.all === true) callback(null, [...pinned]);
    else callback(null, first.address, first.family);
  };
}

/** Why an exchange with another server failed, in words; those of the system and of undici. */
export function exchangeProblem(error: unknown): string {
  // Not `instanceof Error`: undici and Node may hand over an error of another realm (as under Jest).
  const { code: given } = (error ?? {}) as { code?: unknown };
  const code = typeof given === 'string' ? given : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOTFOUND: 'the host name is unknown',
    EAI_AGAIN: 'the name server does not answer',
    ECONNREFUSED: 'the server refuses connections',
    ECONNRESET: 'the server broke the connection',
    UND_ERR_SOCKET: 'the server broke the connection',
    EHOSTUNREACH: 'the server cannot be reached',
    ENETUNREACH: 'the server cannot be reached',
    UND_ERR_CONNECT_TIMEOUT: 'the server does not answer',
  };
  if (/CERT|VERIFY/.test(code)) return `the server's certificate is not trusted (${code})`;
  if (/TLS|SSL|EPROTO/.test(code)) return `the server does not speak TLS as it should (${code})`;
  return (
    reasons[code] ?? (code === '' ? 'the exchange with the server failed' : `the exchange failed (${code})`)
  );
}

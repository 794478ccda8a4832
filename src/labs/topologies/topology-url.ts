import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { AppError, invalidField } from '../../lib/app-error.ts';

const maxRedirects = 3;
const maxBytes = 1024 * 1024;
const totalMs = 15_000;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An address that a connection is pinned to. */
interface Pinned {
  readonly address: string;
  readonly family: 4 | 6;
}

const forbidden4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // "this network", RFC 1122: Linux connects 0.0.0.0 to itself
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, RFC 3927: the metadata service of every cloud
  ['224.0.0.0', 4], // multicast
  ['255.255.255.255', 32], // broadcast
];

const forbidden6: readonly (readonly [string, number])[] = [
  ['::', 128], // unspecified
  ['::1', 128], // loopback
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local, deprecated by RFC 3879
  ['ff00::', 8], // multicast
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address: mapped, compatible (RFC 4291), translated, NAT64 (RFC 6052). */
const embeddings = ['::ffff:', '::', '::ffff:0:', '64:ff9b::'] as const;

/** An IPv4 network, in whatever IPv6 clothes its addresses may come. */
function addNetwork4(list: BlockList, net: string, prefix: number): void {
  list.addSubnet(net, prefix, 'ipv4');
  for (const embedding of embeddings) list.addSubnet(`${embedding}${net}`, 96 + prefix, 'ipv6');
  // 6to4 (RFC 3056): 2002:<the IPv4 address>::/48.
  const bytes = net.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  list.addSubnet(`2002:${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}::`, 16 + prefix, 'ipv6');
}

function buildBlockList(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of forbidden4) addNetwork4(list, net, prefix);
  for (const [net, prefix] of forbidden6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}

const blockList = buildBlockList();

/** The addresses that this machine has at the moment: a packet to one of them never leaves it, as with loopback. */
function ownAddresses(): BlockList {
  const list = new BlockList();
  for (const { address, family } of Object.values(os.networkInterfaces()).flatMap((found) => found ?? [])) {
    if (family === 'IPv4') addNetwork4(list, address, 32);
    else list.addSubnet(address.split('%')[0] ?? address, 128, 'ipv6');
  }
  return list;
}

/**
 * Whether an address is loopback, link-local, multicast, unspecified or one of this machine's own, in whatever IPv6
 * clothes it comes.
 */
export function isForbiddenAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  if (family === 0) return true;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return blockList.check(bare, type) || ownAddresses().check(bare, type);
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

function failed(reason: string, cause?: unknown): AppError {
  return new AppError(
    'topology-download-failed',
    `topologyUrl: the topology could not be downloaded: ${reason}`,
    {
      cause,
    },
  );
}

function refused(message: string): AppError {
  return new AppError('forbidden-host', `topologyUrl: ${message}`, {
    errors: [{ field: 'topologyUrl', message }],
  });
}

/** The URL parser turns `http://0x7f.1/` into 127.0.0.1 and `localhost.` stays a name; both are checked later on. */
function parseUrl(text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw invalidField('topologyUrl', 'must be an absolute http or https URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidField('topologyUrl', 'must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidField(
      'topologyUrl',
      'must not hold a user name or password: it would end up in records and logs',
    );
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
const systemLookup = async (host: string): Promise<LookupAddress[]> => lookup(host, { all: true });

interface Terms {
  readonly allowed: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly lookupAll: typeof systemLookup;
}

/** The addresses of the URL's host, every one of them checked. Throws `forbidden-host`. */
async function addressesOf(url: URL, { allowed, signal, lookupAll }: Terms): Promise<Pinned[]> {
  const host = bareHost(url.hostname);
  if (allowed.size > 0 && !allowed.has(host)) {
    throw refused(`the host ${host} is not among those that this server allows (LAB_API_TOPOLOGY_HOSTS)`);
  }
  // The resolver has no time-out that we could set, and cannot be cancelled; we stop waiting for it.
  const found = await abortable(lookupAll(host), signal);
  // Naming a host in the list is the administrator's word that it may be reached, wherever it is.
  if (allowed.size === 0 && found.some(({ address }) => isForbiddenAddress(address))) {
    throw refused(`the host ${host} is on this machine or link; LAB_API_TOPOLOGY_HOSTS can allow it by name`);
  }
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** Answers every question with the checked addresses: a second DNS answer may be another one (DNS rebinding). */
function pinnedLookup(pinned: readonly Pinned[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = pinned;
    if (first === undefined) callback(new Error('no address'), '', 0);
    else if (options.all === true) callback(null, [...pinned]);
    else callback(null, first.address, first.family);
  };
}

async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw failed('it is larger than 1 MiB');
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw failed('it is not UTF-8 text');
  }
}

type Hop = { readonly text: string } | { readonly redirect: string };

async function fetchHop(url: URL, pinned: readonly Pinned[], signal: AbortSignal): Promise<Hop> {
  // Loaded for the first download: it is a fourth of what the start of the service costs.
  const { Agent, request } = await import('undici');
  const agent = new Agent({ connect: { lookup: pinnedLookup(pinned) } });
  try {
    const headers = { accept: 'application/yaml, text/yaml, text/plain, */*', 'user-agent': 'lab-api' };
    const { statusCode, headers: got, body } = await request(url, { dispatcher: agent, signal, headers });
    // Destroying the agent below breaks a body that is not read to its end; without a listener that would end us.
    body.on('error', () => undefined);
    const location = got['location'];
    if (redirectStatuses.has(statusCode) && typeof location === 'string') return { redirect: location };
    if (statusCode !== 200) throw failed(`the server answered with status ${statusCode}`);
    return { text: await readBody(body) };
  } finally {
    // Not `close`: that waits for a body which nobody reads.
    await agent.destroy();
  }
}

function reasonOf(error: unknown): string {
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

async function follow(start: string, terms: Terms): Promise<string> {
  let url = parseUrl(start);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const hop = await fetchHop(url, await addressesOf(url, terms), terms.signal);
    if ('text' in hop) return hop.text;
    url = parseUrl(hop.redirect, url);
  }
  throw failed(`it was redirected more than ${maxRedirects} times`);
}

/**
 * The text of a topology file from the web: http or https, at most 1 MiB, 15 s in all, three redirects. Loopback,
 * link-local, multicast and unspecified addresses and those of this machine are refused at every hop, and the connection goes to the address
 * that was checked. When `allowedHosts` is not empty, only those hosts may be asked, at whatever address they have.
 *
 * Throws `invalid-request` for a bad URL, `forbidden-host`, or `topology-download-failed` with the reason.
 */
export async function downloadTopology(
  url: string,
  allowedHosts: readonly string[],
  lookupAll = systemLookup,
): Promise<string> {
  const signal = AbortSignal.timeout(totalMs);
  try {
    return await follow(url, { allowed: new Set(allowedHosts.map(allowedHost)), signal, lookupAll });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw failed(signal.aborted ? `it took longer than ${totalMs / 1000} seconds` : reasonOf(error), error);
  }
}

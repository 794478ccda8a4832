import type { Dispatcher } from 'undici';
import { AppError } from '../../lib/app-error.ts';
import {
  addressesOf,
  exchangeProblem,
  parseOutboundUrl,
  pinnedLookup,
  systemLookup,
  type OutboundTerms,
} from '../../lib/net/outbound-url.ts';

const field = 'topologyUrl';
const maxRedirects = 3;
const maxBytes = 1024 * 1024;
const totalMs = 15_000;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function failed(reason: string, cause?: unknown): AppError {
  return new AppError(
    'topology-download-failed',
    `topologyUrl: the topology could not be downloaded: ${reason}`,
    {
      cause,
    },
  );
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

async function fetchHop(
  url: URL,
  pinned: Awaited<ReturnType<typeof addressesOf>>,
  signal: AbortSignal,
): Promise<Hop> {
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
    // Not `close`, which waits for the unread body.
    await agent.destroy();
  }
}

async function follow(start: string, terms: OutboundTerms): Promise<string> {
  let url = parseOutboundUrl(field, start);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const hop = await fetchHop(url, await addressesOf(url, terms), terms.signal);
    if ('text' in hop) return hop.text;
    url = parseOutboundUrl(field, hop.redirect, url);
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
    return await follow(url, { field, variable: 'LAB_API_TOPOLOGY_HOSTS', allowedHosts, signal, lookupAll });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw failed(
      signal.aborted ? `it took longer than ${totalMs / 1000} seconds` : exchangeProblem(error),
      error,
    );
  }
}

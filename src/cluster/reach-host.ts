/** Whether a host answers where it says it is: a request may reach no program, another host, or this very one. */
import { messageOf } from '../lib/app-error.ts';
import { isMapping } from '../lib/mapping.ts';
import type { HostConnections } from './host-connections.ts';
import type { Host } from './model/host.ts';
import { passHeader } from './model/pass-header.ts';
import type { Passes } from './passes.ts';

const patienceMs = 5_000;
/** A host sends less. Another program at this address may send without end. */
const maxBytes = 256 * 1024;

type Asked = Pick<Host, 'id' | 'url' | 'pin'>;

interface Means {
  /** The name of this host, for the log of the other one. */
  readonly name: string;
  readonly connections: Pick<HostConnections, 'to'>;
  readonly passes: Pick<Passes, 'issue'>;
}

/** As part of a sentence. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.name === 'TimeoutError'
    ? `no answer within ${patienceMs / 1000} seconds`
    : messageOf(error);
}

/** Undefined for what is too long to be what a host says of itself. */
async function textOf(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function wrongAnswer(status: number, host: Asked, body: unknown): string | null {
  if (status === 401) return 'another host answers there, or one with another secret';
  if (status !== 200) return `what answers there is no host of this cluster (HTTP status ${status})`;
  const isIt = isMapping(body) && body['id'] === host.id && body['isThis'] === true;
  return isIt ? null : 'another host answers there';
}

/** Why it does not, as part of a sentence; null when it does, and undefined when that cannot be asked yet. */
export async function whyNotReached(host: Asked, means: Means): Promise<string | null | undefined> {
  const { origin, pathname } = new URL(host.url);
  const path = `${pathname.replace(/\/+$/, '')}/hosts/${host.id}`;
  const asker = { name: `host ${means.name}`, role: 'viewer', workdirs: null } as const;
  // It is for that host alone: no other one lets us in with it.
  const pass = means.passes.issue(host.id, { method: 'GET', path }, asker);
  if (pass === undefined) return undefined;
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const headers = { [passHeader]: pass };
    const reply = await means.connections.to(host).request({ origin, path, method: 'GET', headers, signal });
    const text = (await textOf(reply.body)) ?? '';
    return wrongAnswer(reply.statusCode, host, reply.statusCode === 200 ? JSON.parse(text) : undefined);
  } catch (error) {
    // No JSON, say.
    return error instanceof SyntaxError ? 'what answers there is no host' : causeOf(error);
  }
}

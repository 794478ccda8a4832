/** Connections to the other hosts, kept for the next request. */
import { Agent, buildConnector } from 'undici';
import { pinnedConnector } from '../lib/net/pinned-connector.ts';
import type { Host } from './model/host.ts';

const connectTimeoutMs = 5_000;

function agentFor({ pin }: Pick<Host, 'pin'>): Agent {
  const isPinned = pin !== null;
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    ...(isPinned && { rejectUnauthorized: false, maxCachedSessions: 0 }),
  });
  return new Agent({
    connect: isPinned ? pinnedConnector(connect, pin) : connect,
    // Logs and events may say nothing for as long as they like: that a host is away, its lease tells.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A stream keeps its own for as long as it lasts.
    connections: null,
  });
}

export class HostConnections {
  /** By the URL and the key of a host: it may have moved. */
  readonly #agents = new Map<string, Agent>();

  to(host: Pick<Host, 'url' | 'pin'>): Agent {
    const name = `${host.url} ${host.pin ?? ''}`;
    const known = this.#agents.get(name);
    if (known) return known;
    const agent = agentFor(host);
    this.#agents.set(name, agent);
    return agent;
  }

  /** Cuts them all. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(async (agent) => agent.destroy()));
  }
}

/** Looks whether the other hosts answer where they say they are, and hears what they find of this one. */
import { every } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import type { Host } from './model/host.ts';
import type { HostConnections } from './host-connections.ts';
import type { OwnHost } from './own-host.ts';
import type { Passes } from './passes.ts';
import { whyNotReached } from './reach-host.ts';
import type { Registry } from './registry.ts';

const lookEveryMs = 1_000;
/** How often a host is asked that was asked before. */
const againMs = 15_000;
/** Until it is reached again, it gets no new labs. */
const againIfLostMs = 5_000;
/** With many hosts, each is asked less often: none is to be busy with that. */
const againMsPerHost = 500;

interface ReachDeps {
  readonly ownId: () => string;
  readonly own: Pick<OwnHost, 'name' | 'facts'>;
  readonly registry: Pick<Registry, 'peers' | 'noteChange'>;
  readonly connections: HostConnections;
  readonly passes: Passes;
  readonly log: Logger;
}

interface Found {
  /** Where the host was then. */
  readonly place: string;
  readonly atMs: number;
  readonly why: string | null;
}

export class Reach {
  readonly #deps: ReachDeps;
  /** By the id of the host. */
  readonly #found = new Map<string, Found>();
  readonly #asking = new Set<string>();
  #complaint = '';
  #stopTimer = (): void => undefined;

  constructor(deps: ReachDeps) {
    this.#deps = deps;
  }

  open(): void {
    this.#stopTimer = every(lookEveryMs, () => this.#look());
  }

  close(): void {
    this.#stopTimer();
  }

  /** For the other hosts: those that this one does not reach. */
  get cannotReach(): readonly { readonly id: string; readonly why: string }[] {
    return [...this.#found].flatMap(([id, { why }]) => (why === null ? [] : [{ id, why }]));
  }

  /** Why this host does not reach it; of this one, why others do not. Null when all is well, as far as is known. */
  whyNot(id: string): string | null {
    if (id === this.#deps.ownId()) return this.#ofOthers() || null;
    return this.#found.get(id)?.why ?? null;
  }

  #ofOthers(): string {
    const own = this.#deps.ownId();
    const said = this.#deps.registry.peers.flatMap(({ name, cannotReach }) => {
      const found = cannotReach.find(({ id }) => id === own);
      return found === undefined ? [] : [`${name}: ${found.why}`];
    });
    return said.join('; ');
  }

  #look(): void {
    const { registry, own, log } = this.#deps;
    const hosts = registry.peers;
    const nowMs = performance.now();
    for (const id of this.#found.keys()) if (!hosts.some((host) => host.id === id)) this.#found.delete(id);
    for (const host of hosts) {
      const before = this.#found.get(host.id);
      const usualMs = typeof before?.why === 'string' ? againIfLostMs : againMs;
      const isDue = nowMs - (before?.atMs ?? 0) >= Math.max(usualMs, hosts.length * againMsPerHost);
      if (before?.place !== placeOf(host) || isDue) void this.#ask(host);
    }
    const complaint = this.#ofOthers();
    if (complaint !== '' && complaint !== this.#complaint)
      log.warn('other hosts do not reach this one: is LAB_API_HOST_URL right?', {
        url: own.facts().url,
        cause: complaint,
      });
    this.#complaint = complaint;
  }

  async #ask(host: Host): Promise<void> {
    if (this.#asking.has(host.id)) return;
    this.#asking.add(host.id);
    const { own, registry, connections, passes, log } = this.#deps;
    const means = { name: own.name, connections, passes };
    const why = await whyNotReached(host, means).finally(() => this.#asking.delete(host.id));
    // It was not asked; or it has just said good-bye.
    if (why === undefined || !registry.peers.some(({ id }) => id === host.id)) return;
    const before = this.#found.get(host.id)?.why ?? null;
    this.#found.set(host.id, { place: placeOf(host), atMs: performance.now(), why });
    if (why === before) return;
    const { name, url } = host;
    if (why === null) log.info('a host is reached again', { host: name, url });
    else log.warn('a host does not answer where it says it is', { host: name, url, cause: why });
    // The others are to hear of it.
    registry.noteChange();
  }
}

const placeOf = ({ url, pin }: Host): string => `${url} ${pin ?? ''}`;

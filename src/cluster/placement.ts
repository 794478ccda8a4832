/** Which hosts may take a job that no host has yet, the best one first. */
import type { Host } from './model/host.ts';

/** A machine with less free memory than this share gets no labs as long as another has more. */
const scarceMemory = 0.05;

/** In a cluster that is full, a job is not to go round. */
const askedForRoom = 3;

/** How busy a host is: below 1, a job starts at once. */
function loadOf({ running, queued, capacity }: Host, given: number): number {
  return (running + queued + given) / capacity;
}

function isShortOfMemory({ freeMemoryBytes, memoryBytes }: Host): boolean {
  return freeMemoryBytes / memoryBytes < scarceMemory;
}

/** The requirements of a job for its host. */
export interface Wanted {
  readonly labels: readonly string[];
  /** The lab CLI that is to run the job; absent for any. */
  readonly cli?: string | undefined;
}

export class Placement {
  readonly #isReached: (host: Host) => boolean;
  /** Jobs that were given to a host since it told how busy it is, by its id. */
  readonly #given = new Map<string, { seenAtMs: number; count: number }>();

  /** `isReached`: whether this host reaches another one over HTTP, as far as is known. */
  constructor(isReached: (host: Host) => boolean) {
    this.#isReached = isReached;
  }

  /** Counts a job that a host was given: many that come at once must not all go to the host that was least busy a moment ago. */
  noteGiven(host: Host): void {
    const given = this.#givenTo(host);
    this.#given.set(host.id, { seenAtMs: host.seenAtMs, count: given + 1 });
  }

  /** Hosts that have all labels and the lab CLI, take jobs and are reached (a lab elsewhere could not be used): those with memory first, then the least busy one for its size, then the one with fewer labs. */
  candidates(hosts: readonly Host[], { labels, cli }: Wanted): readonly Host[] {
    return hosts
      .filter((host) => host.state === 'up' && labels.every((label) => host.labels.includes(label)))
      .filter((host) => cli === undefined || host.clis.includes(cli))
      .filter((host) => host.isThis || this.#isReached(host))
      .map((host) => ({
        host,
        order: [
          Number(isShortOfMemory(host)),
          loadOf(host, this.#givenTo(host)),
          host.labs.length / host.capacity,
        ],
      }))
      .toSorted((a, b) => compare(a.order, b.order) || (a.host.isThis ? -1 : 1))
      .map(({ host }) => host);
  }

  /** Those that are asked first whether they have room; one that is short of memory is not preferred to a wait. */
  hopeful(candidates: readonly Host[]): readonly Host[] {
    if (candidates.length < 2) return [];
    return candidates.filter((host) => !isShortOfMemory(host)).slice(0, askedForRoom);
  }

  #givenTo({ id, seenAtMs }: Host): number {
    const given = this.#given.get(id);
    return given?.seenAtMs === seenAtMs ? given.count : 0;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

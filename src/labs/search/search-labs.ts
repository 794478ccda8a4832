import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTime } from '../../lib/async/in-time.ts';
import { messageOf } from '../../lib/app-error.ts';
import type { ListedLab } from '../status/lab-list.ts';
import type { Facts } from './facts-of.ts';
import { findInLab, matchKinds, needsTopology, type Found, type MatchKind } from './find-in-lab.ts';
import type { SearchQuery } from './search-query.ts';

export interface FoundInLab extends Found {
  readonly lab: ListedLab;
}

export interface SearchResult {
  /** Best first: `has`, `inside`, `contains`; of each, in the order of the labs. */
  readonly matches: readonly FoundInLab[];
  /** Whether there are more than the limit. */
  readonly isTruncated: boolean;
  /** The labs whose topology was not searched, with a sentence for a person. */
  readonly incomplete: readonly { readonly lab: ListedLab; readonly reason: string }[];
}

interface Search {
  readonly labs: readonly ListedLab[];
  readonly query: SearchQuery;
  readonly limit: number;
  /** Rejects when the topology cannot be read. */
  readonly factsOf: (lab: ListedLab) => Promise<Facts>;
}

/** In milliseconds, for all topologies together; those that come later are there for the next search. */
const longestMs = 10_000;
const lateMessage = 'its topology was not read in time: search again';
/** In characters. */
const longestReason = 300;
/** How much is searched in one turn of the event loop: it takes some 10 ms. */
const sizeOfTurn = 20_000;

/** At most so many of each kind: more would not be shown. */
class Matches {
  readonly #limit: number;
  readonly #byKind: Readonly<Record<MatchKind, FoundInLab[]>> = { has: [], inside: [], contains: [] };

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(found: FoundInLab): void {
    const same = this.#byKind[found.match];
    if (same.length <= this.#limit) same.push(found);
  }

  get result(): Pick<SearchResult, 'matches' | 'isTruncated'> {
    const all = matchKinds.flatMap((kind) => this.#byKind[kind]);
    return { matches: all.slice(0, this.#limit), isTruncated: all.length > this.#limit };
  }
}

/** Searches these labs. Never rejects for a lab that cannot be read. */
export async function searchLabs({ labs, query, limit, factsOf }: Search): Promise<SearchResult> {
  const told = await Promise.all(
    labs.map(async (lab) => {
      if (!needsTopology(query, lab)) return { lab, facts: undefined };
      try {
        return { lab, facts: await inTime(factsOf(lab), longestMs, lateMessage) };
      } catch (error) {
        const [reason = ''] = messageOf(error).split('\n');
        return { lab, facts: undefined, reason: reason.slice(0, longestReason) };
      }
    }),
  );
  const matches = new Matches(limit);
  let searched = 0;
  for (const { lab, facts } of told) {
    for (const found of findInLab({ lab, facts }, query)) matches.add({ ...found, lab });
    searched += (facts?.size ?? 0) + lab.nodes.length;
    if (searched < sizeOfTurn) continue;
    searched = 0;
    await nextTurn();
  }
  const incomplete = told.flatMap(({ lab, reason }) => (reason === undefined ? [] : [{ lab, reason }]));
  return { ...matches.result, incomplete };
}

/** Makes routing tables small, by routes that cover several destinations. */
import { commonLength, formatPrefix, networkOf, type Prefix } from '../core/ip.ts';

/** Instead of a next hop (which counts from 0): there is no way to the destination. */
export const unreachable = -1;
/**
 * Instead of a next hop: the node is connected to the destination. Any route may cover it, because the kernel's own
 * route to a connected network is more specific.
 */
export const connected = -2;

interface Entry {
  readonly prefix: Prefix;
  /** The prefix as text. */
  readonly to: string;
  readonly hop: number;
}

const none = -1;

/**
 * The destinations of a lab as a binary tree. Where two neighbouring prefixes have the same next hop, one route to the
 * prefix that joins them will do, and so on upwards. A route never covers addresses that are in no destination: packets
 * to such an address could go in circles, as each router would send them on to another.
 */
export class PrefixTree {
  readonly #destinations: readonly Prefix[];
  /**
   * Per node of the tree, parents before children. Arrays and not objects: each router of a lab walks through all of
   * it.
   */
  readonly #prefixes: Prefix[] = [];
  readonly #texts: string[] = [];
  /** The index of the destination that a node of the tree is; -1 for one that only joins two branches. */
  readonly #destinationOf: Int32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** 1 where destinations fill both halves of the prefix, so that a route to it covers nothing else. */
  readonly #isWhole: Uint8Array;
  readonly #hops: Int32Array;
  readonly #weights: Int32Array;
  /** 1 where one route to the prefix is not enough: something below it needs another. */
  readonly #isMixed: Uint8Array;

  /** `destinations` are sorted as `comparePrefixes` does, each there once. */
  constructor(destinations: readonly Prefix[]) {
    this.#destinations = destinations;
    // Each destination is a node of the tree, and n of them need fewer than n nodes to join them.
    const size = 2 * destinations.length;
    this.#destinationOf = new Int32Array(size).fill(none);
    this.#left = new Int32Array(size).fill(none);
    this.#right = new Int32Array(size).fill(none);
    this.#isWhole = new Uint8Array(size);
    this.#hops = new Int32Array(size);
    this.#weights = new Int32Array(size);
    this.#isMixed = new Uint8Array(size);
    if (size > 0) this.#build(0, destinations.length);
  }

  /** Makes the subtree of destinations `from` to `to` (exclusive); its depth is at most the length of a prefix. */
  #build(from: number, to: number): number {
    const first = this.#destinations[from];
    const last = this.#destinations[to - 1];
    if (first === undefined || last === undefined) return none;
    const length = commonLength(first, last);
    const prefix = networkOf({ ...first, length });
    const index = this.#prefixes.push(prefix) - 1;
    this.#texts.push(formatPrefix(prefix));
    if (first.length === length) {
      this.#destinationOf[index] = from;
      const inner = from + 1 < to ? this.#build(from + 1, to) : none;
      this.#left[index] = inner;
      // Two branches that fill a destination are joined at its own prefix: that can have one route only, not two.
      if (this.#prefixes[inner]?.length === length) this.#isWhole[inner] = 0;
      return index;
    }
    const middle = this.#firstWithBit(from, to, length);
    const children = [this.#build(from, middle), this.#build(middle, to)] as const;
    [this.#left[index], this.#right[index]] = children;
    const isWhole = children.every((child) => this.#prefixes[child]?.length === length + 1);
    this.#isWhole[index] = isWhole ? 1 : 0;
    return index;
  }

  /** The first destination whose bit number `length` (from the left) is set. */
  #firstWithBit(from: number, to: number, length: number): number {
    let [low, high] = [from, to];
    const last = this.#destinations[to - 1];
    if (last === undefined) return to;
    while (low < high) {
      const middle = (low + high) >> 1;
      const candidate = this.#destinations[middle];
      // The last one has the bit set: a destination in the same half as the last one has it, too.
      if (candidate !== undefined && commonLength(candidate, last) > length) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * The routes of one router or host, sorted. `hops` has for each destination a next hop, `connected` or `unreachable`;
   * `base` is the next hop of a route that covers everything and exists already, `unreachable` when there is none.
   */
  routes(hops: Int32Array, base: number): readonly Entry[] {
    this.#choose(hops);
    const routes: Entry[] = [];
    const pending: [node: number, inherited: number][] = this.#texts.length > 0 ? [[0, base]] : [];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [index, inherited] = next;
      const hop = this.#hopAt(index, inherited);
      const prefix = this.#prefixes[index];
      if (hop >= 0 && hop !== inherited && prefix !== undefined)
        routes.push({ prefix, to: this.#texts[index] ?? '', hop });
      if (this.#isMixed[index] === 0) continue;
      // Destinations within a connected network need routes of their own: the kernel's route to that network hides
      // every route that covers it.
      const isHidden = hop === connected && this.#destinationOf[index] !== none;
      const passedOn = hop >= 0 ? hop : isHidden ? unreachable : inherited;
      const [left, right] = [this.#left[index] ?? none, this.#right[index] ?? none];
      if (right !== none) pending.push([right, passedOn]);
      if (left !== none) pending.push([left, passedOn]);
    }
    return routes;
  }

  /** The hop of a node of the tree; the inherited one when, with it, one of the two halves needs no route of its own. */
  #hopAt(index: number, inherited: number): number {
    const hop = this.#hops[index] ?? unreachable;
    if (this.#destinationOf[index] !== none || hop < 0) return hop;
    const halves = [this.#left[index] ?? none, this.#right[index] ?? none];
    return inherited >= 0 && halves.some((half) => this.#hops[half] === inherited) ? inherited : hop;
  }

  /** Chooses from the leaves up, for each prefix that one route may cover, the hop that most destinations in it have. */
  #choose(hops: Int32Array): void {
    for (let index = this.#texts.length - 1; index >= 0; index -= 1) {
      const destination = this.#destinationOf[index] ?? none;
      if (destination === none) this.#join(index, this.#left[index] ?? none, this.#right[index] ?? none);
      else {
        this.#hops[index] = hops[destination] ?? unreachable;
        this.#weights[index] = 1;
        this.#isMixed[index] = this.#left[index] === none ? 0 : 1;
      }
    }
  }

  #join(index: number, left: number, right: number): void {
    const one = this.#hops[left] ?? unreachable;
    const other = this.#hops[right] ?? unreachable;
    const oneWeight = this.#weights[left] ?? 0;
    const otherWeight = this.#weights[right] ?? 0;
    const isAllowed = this.#isWhole[index] === 1 && one !== unreachable && other !== unreachable;
    const isOne = other === connected || (one !== connected && oneWeight >= otherWeight);
    const agrees = one === other || one === connected || other === connected;
    const isBelowMixed = this.#isMixed[left] === 1 || this.#isMixed[right] === 1;
    this.#hops[index] = isAllowed ? (isOne ? one : other) : unreachable;
    this.#weights[index] = one === other ? oneWeight + otherWeight : isOne ? oneWeight : otherWeight;
    this.#isMixed[index] = isAllowed && agrees && !isBelowMixed ? 0 : 1;
  }
}

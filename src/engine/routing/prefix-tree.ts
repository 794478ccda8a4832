import { commonLength, formatPrefix, networkOf, type Prefix } from '../core/ip.ts';

/** What the routing table of a node does with a destination; other values are next hops, counted from 0. */
export const unreachable = -1;
/** Directly connected: more specific than, or the same as, any route, so any route may cover it. */
export const connected = -2;

interface Entry {
  readonly prefix: Prefix;
  /** The prefix as text. */
  readonly to: string;
  readonly hop: number;
}

const none = -1;

/**
 * The destinations of a lab as a binary tree, for routing tables with few routes: one for two neighbouring prefixes
 * that go the same way, and so on upwards. A route never covers an address without a destination: unless every node
 * knows that such an address does not exist, packets to it go in circles.
 */
export class PrefixTree {
  readonly #destinations: readonly Prefix[];
  /** Per tree node; a parent comes before its children. Flat, as each router of a lab goes through all of them. */
  readonly #prefixes: Prefix[] = [];
  readonly #texts: string[] = [];
  /** Index of the destination that the node is; -1 where two branches meet. */
  readonly #destinationOf: Int32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** 1 where both halves are there, so that a route for the whole covers nothing but destinations. */
  readonly #isWhole: Uint8Array;
  readonly #hops: Int32Array;
  readonly #weights: Int32Array;
  /** 1 where a route for the whole node does not settle everything below it. */
  readonly #isMixed: Uint8Array;

  /** `destinations` are sorted as `comparePrefixes` does, each there once. */
  constructor(destinations: readonly Prefix[]) {
    this.#destinations = destinations;
    // Each destination is a node, and joining n of them takes fewer than n more.
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

  /** The subtree for destinations `from` to `to` (exclusive); recursion is as deep as prefixes are long. */
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
      // Two branches that fill a destination meet at its own prefix, which has one route only.
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
      // In the same half as the last one, or not.
      if (candidate !== undefined && commonLength(candidate, last) > length) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * The routes of a node, sorted. `hops`: per destination a next hop, `connected` or `unreachable`.
   * `base`: the next hop of a route that covers everything and is there already; `unreachable` without one.
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
      // What is in a connected network needs a route of its own, whatever covers the network.
      const isHidden = hop === connected && this.#destinationOf[index] !== none;
      const passedOn = hop >= 0 ? hop : isHidden ? unreachable : inherited;
      const [left, right] = [this.#left[index] ?? none, this.#right[index] ?? none];
      if (right !== none) pending.push([right, passedOn]);
      if (left !== none) pending.push([left, passedOn]);
    }
    return routes;
  }

  /** The hop of a node, unless one half does without a route of its own when there is none for the whole. */
  #hopAt(index: number, inherited: number): number {
    const hop = this.#hops[index] ?? unreachable;
    if (this.#destinationOf[index] !== none || hop < 0) return hop;
    const halves = [this.#left[index] ?? none, this.#right[index] ?? none];
    return inherited >= 0 && halves.some((half) => this.#hops[half] === inherited) ? inherited : hop;
  }

  /** From the leaves up: the hop that most destinations below a node have, where a route for all of it is allowed. */
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

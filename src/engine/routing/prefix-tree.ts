/** Shortens routing tables with routes that cover several destinations. */
import { commonLength, formatPrefix, networkOf, type Prefix } from '../../lib/net/ip.ts';

/** In place of a next hop (which counts from 0): the destination is unreachable. */
export const unreachable = -1;
/**
 * In place of a next hop: the node is connected to the destination. Any route may cover the destination, because the
 * kernel's own route to a connected network is more specific.
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
 * The destinations of a lab as a binary tree. If two adjacent prefixes have the same next hop, one route to their
 * common prefix is enough, and so on upwards. A route never covers addresses outside all destinations: packets to
 * such an address could loop, because each router would forward them to another.
 */
export class PrefixTree {
  readonly #destinations: readonly Prefix[];
  /**
   * For each node of the tree, parents before children. Arrays instead of objects: each router of a lab walks through
   * the whole tree.
   */
  readonly #prefixes: Prefix[] = [];
  readonly #texts: string[] = [];
  /** The index of the destination at this node of the tree; -1 for a node that only joins two branches. */
  readonly #destinationOf: Int32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** 1 if destinations fill both halves of the prefix, so that a route to the prefix covers nothing else. */
  readonly #isWhole: Uint8Array;
  readonly #hops: Int32Array;
  readonly #weights: Int32Array;
  /** 1 if one route to the prefix is not enough, because a node below it needs another route. */
  readonly #isMixed: Uint8Array;

  /** `destinations` are sorted by `comparePrefixes`, without duplicates. */
  constructor(destinations: readonly Prefix[]) {
    this.#destinations = destinations;
    // Each destination is a node of the tree, and n destinations need fewer than n joining nodes.
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
      // Two branches that fill a destination are joined at its own prefix, which can have only one route.
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
      // The last destination has the bit set, and so has every destination in the same half.
      if (candidate !== undefined && commonLength(candidate, last) > length) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * The routes of one router or host, sorted. For each destination, `hops` has a next hop, `connected` or
   * `unreachable`. `base` is the next hop of an existing route that covers everything, or `unreachable` if there is
   * none.
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
      // Destinations within a connected network need their own routes: the kernel's route to that network hides every
      // route that covers it.
      const isHidden = hop === connected && this.#destinationOf[index] !== none;
      const passedOn = hop >= 0 ? hop : isHidden ? unreachable : inherited;
      const [left, right] = [this.#left[index] ?? none, this.#right[index] ?? none];
      if (right !== none) pending.push([right, passedOn]);
      if (left !== none) pending.push([left, passedOn]);
    }
    return routes;
  }

  /** The hop of a node of the tree: the inherited hop if one of the two halves then needs no route of its own. */
  #hopAt(index: number, inherited: number): number {
    const hop = this.#hops[index] ?? unreachable;
    if (this.#destinationOf[index] !== none || hop < 0) return hop;
    const halves = [this.#left[index] ?? none, this.#right[index] ?? none];
    return inherited >= 0 && halves.some((half) => this.#hops[half] === inherited) ? inherited : hop;
  }

  /** From the leaves up, chooses for each prefix that one route may cover the most frequent hop of its destinations. */
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

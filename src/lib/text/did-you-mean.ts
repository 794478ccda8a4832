/** How many letters one must insert, remove, replace or swap with the next to get from one word to the other. */
function distance(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwap ? (beforePrevious[column - 2] ?? Infinity) + 1 : Infinity;
      const replaced = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}

/** The candidate that takes the fewest changed letters, whatever their case; undefined when all take more than `limit`. */
function nearest(word: string, candidates: Iterable<string>, limit: number): string | undefined {
  let best: { candidate: string; letters: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const letters = distance(word.toLowerCase(), candidate.toLowerCase());
    if (letters <= limit && letters < (best?.letters ?? Infinity)) best = { candidate, letters };
  }
  return best?.candidate;
}

/** The candidate that `word` misses by its case or by one letter: so close that nothing else can have been meant. */
export function misspelt(word: string, candidates: Iterable<string>): string | undefined {
  return nearest(word, candidates, 1);
}

/** The candidate that was probably meant by `word`; undefined when none is close to it. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  // With one letter changed, a word of two letters is a different word.
  return word.length <= 2 ? undefined : nearest(word, candidates, word.length <= 4 ? 1 : 2);
}

/** `; did you mean "nodes"?` when one of the candidates is close to `word`, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const best = closest(word, candidates);
  return best === undefined ? '' : `; did you mean "${best}"?`;
}

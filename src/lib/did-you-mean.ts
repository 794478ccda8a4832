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

/** `; did you mean "nodes"?` when one of the candidates is close to `word`, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  // Half of a short word is another word.
  const limit = word.length <= 2 ? 0 : word.length <= 4 ? 1 : 2;
  let best: { candidate: string; letters: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const letters = distance(word.toLowerCase(), candidate.toLowerCase());
    if (limit > 0 && letters <= limit && letters < (best?.letters ?? Infinity)) best = { candidate, letters };
  }
  return best === undefined ? '' : `; did you mean "${best.candidate}"?`;
}

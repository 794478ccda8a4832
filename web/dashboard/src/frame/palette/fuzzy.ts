/** Fuzzy search: all letters in order, with a better score at the beginning of words. */

/** The score of a letter that follows the previous one, or that begins a word. */
const inARow = 6;
const beginsWord = 8;

/** How well `text` matches `query`, higher is better; undefined when a letter is missing. Case is ignored. */
function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const hay = text.toLowerCase();
  const whole = hay.indexOf(wanted);
  // An exact substring is worth more than scattered letters.
  if (whole !== -1) return 1000 - whole - hay.length / 100 + (isBeginning(hay, whole) ? 500 : 0);
  let score = 0;
  let at = -1;
  for (const letter of wanted.replaceAll(/\s/g, '')) {
    const next = bestPlace(hay, letter, at);
    if (next === -1) return undefined;
    score += next === at + 1 ? inARow : isBeginning(hay, next) ? beginsWord : 1;
    at = next;
  }
  return score - hay.length / 100;
}

function isBeginning(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
}

/** The next occurrence of the letter: directly after the last one, else at the beginning of a word, else anywhere; -1 for none. */
function bestPlace(text: string, letter: string, after: number): number {
  if (text.charAt(after + 1) === letter) return after + 1;
  const first = text.indexOf(letter, after + 1);
  for (let at = first; at !== -1; at = text.indexOf(letter, at + 1)) if (isBeginning(text, at)) return at;
  return first;
}

/** The matching entries, best first; all entries in their order for an empty query. */
export function fuzzyFind<T>(query: string, entries: readonly T[], textOf: (entry: T) => string): T[] {
  const wanted = query.trim();
  if (wanted === '') return [...entries];
  return entries
    .map((entry) => ({ entry, score: fuzzyScore(wanted, textOf(entry)) }))
    .filter((found): found is { entry: T; score: number } => found.score !== undefined)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

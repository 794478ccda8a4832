/** Numbers at the end of names as runs: `1-3`, `5`. A run goes on with the same width, or from 9 to 10. */
function runsOf(numbers: readonly string[]): string[] {
  const runs: { first: string; last: string }[] = [];
  for (const number of numbers.toSorted((one, other) => Number(one) - Number(other))) {
    const run = runs.at(-1);
    const isNext = run && String(Number(run.last) + 1).padStart(run.last.length, '0') === number;
    if (isNext) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first}-${last}`));
}

/** Different names for people, short: `h1, r[1-3,5]`. */
export function nameRanges(names: readonly string[]): string {
  const numbersOf = new Map<string, string[]>();
  for (const name of names) {
    const [, stem = name, number = ''] = /^(.*?)(\d{1,9})$/.exec(name) ?? [];
    numbersOf.set(stem, [...(numbersOf.get(stem) ?? []), number]);
  }
  const words = [...numbersOf].flatMap(([stem, all]) => {
    const numbers = all.filter((number) => number !== '');
    const ranges =
      numbers.length > 1 ? `${stem}[${runsOf(numbers).join(',')}]` : `${stem}${numbers.join('')}`;
    return [...(all.length > numbers.length ? [stem] : []), ...(numbers.length > 0 ? [ranges] : [])];
  });
  return words.join(', ');
}

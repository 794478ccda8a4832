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

/** Whether `r[1-3,5]` names this one. Undefined for a word that is no such range. */
export function isInRange(word: string, name: string): boolean | undefined {
  const [, stem = '', list] = /^(.*)\[(\d{1,9}(?:[,-]\d{1,9})*)\]$/.exec(word) ?? [];
  if (list === undefined) return undefined;
  const number = name.slice(stem.length);
  if (!name.startsWith(stem) || !/^\d{1,9}$/.test(number)) return false;
  return list.split(',').some((range) => {
    const [first = '', last = first] = range.split('-');
    const isBetween = Number(first) <= Number(number) && Number(number) <= Number(last);
    // Names with leading zeros are as wide as the first one of their range.
    return isBetween && String(Number(number)).padStart(first.length, '0') === number;
  });
}

/** The words between commas: those within a range do not count. */
export function splitNames(text: string): string[] {
  return text
    .split(/,(?![^[\]]*\])/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

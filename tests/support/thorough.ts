/** With `LAB_TEST_THOROUGH=1`, tests with many cases of one kind run all of them; otherwise a part, always the same. */
const isThorough = (process.env['LAB_TEST_THOROUGH'] ?? '') !== '';

/** All cases, or every so many-th of them. */
export function part<T>(cases: readonly T[], every: number): T[] {
  return cases.filter((_, index) => isThorough || index % every === 0);
}

/** Seeds for random cases: 0, 1, 2 … */
export function seeds(count: number, every: number): number[] {
  return part([...Array(count).keys()], every);
}

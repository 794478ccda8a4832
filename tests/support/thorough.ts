/**
 * With `LAB_TEST_THOROUGH=1`, as in continuous integration, tests run all cases of one kind, and what takes minutes; otherwise
 * a part of them, always the same. The skip reporter counts what was left out by the words of `leftOut`.
 */
import { test } from '@jest/globals';

export const isThorough = (process.env['LAB_TEST_THOROUGH'] ?? '') !== '';

/** Why a test of the thorough mode is skipped, as `requirement` says what is missing; undefined in that mode. */
export const leftOut = isThorough ? undefined : 'LAB_TEST_THOROUGH=1 runs it';

/** All cases, or every so many-th of them. */
function part<T>(cases: readonly T[], every: number): T[] {
  return cases.filter((_, index) => isThorough || index % every === 0);
}

/** The same for `test.each`; a skipped test stands for those that are left out. */
export function partOfTests<T>(cases: readonly T[], every: number): T[] {
  const taken = part(cases, every);
  const rest = cases.length - taken.length;
  if (rest > 0) test.skip(`${rest} more cases (skipped: ${leftOut})`, () => undefined);
  return taken;
}

/** Seeds for random cases: 0, 1, 2 … */
export function seeds(count: number, every: number): number[] {
  return part([...Array(count).keys()], every);
}

/** Tests like those of `run`, but in the thorough mode only: variants of what others in their file test as well. */
export function variants(run: typeof test | typeof test.skip) {
  return (name: string, body: () => Promise<void>, timeoutMs?: number): void => {
    if (leftOut === undefined) run(name, body, timeoutMs);
    else test.skip(`${name} (skipped: ${leftOut})`, body, timeoutMs);
  };
}

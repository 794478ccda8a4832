import { AppError } from '../../../lib/app-error.ts';
import type { TestsDriver } from '../tests-driver.ts';
import { listFailure, ranToItsEnd } from '../status-failure.ts';
import { listedTests } from './results/listed-tests.ts';

/** netsim/cli/validate/__init__.py: it has nothing to list, and fails. */
const none = 'No validation tests defined for the current lab';

/** The tests that `netlab validate` would run. */
export const netlabTests: TestsDriver = {
  list: async (run) => {
    const result = await run(['validate', '--list']);
    if (result.exitCode === 1 && result.stderr.includes(none)) return [];
    if (!ranToItsEnd(result) || result.exitCode !== 0) throw listFailure(result);
    const tests = listedTests(result.stdout.toString('utf8'));
    if (tests !== undefined) return tests;
    throw new AppError('lab-cli-failed', 'The lab CLI printed something else than the tests of the lab');
  },
};

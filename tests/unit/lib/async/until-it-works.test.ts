import { expect, test } from '@jest/globals';
import { untilItWorks } from '../../../../src/lib/async/until-it-works.ts';

test('tries until it works, and tells of the first failure alone', async () => {
  const failures: unknown[] = [];
  let tries = 0;
  const action = async (): Promise<string> => {
    tries += 1;
    if (tries < 3) throw new Error(`failure ${tries}`);
    return 'done';
  };
  expect(await untilItWorks(action, (error) => failures.push(error))).toBe('done');
  expect({ tries, failures }).toEqual({ tries: 3, failures: [new Error('failure 1')] });
});

import { expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { netlab } from '../../../../../src/labs/drivers/netlab/netlab.ts';

test.each([
  {
    name: 'of the HOME that it is given',
    env: { HOME: '/home/alice' },
    expected: '/home/alice/.netlab/status.yaml',
  },
  { name: 'of this user', env: {}, expected: path.join(os.homedir(), '.netlab/status.yaml') },
])("the state file is netlab's, in the home directory $name", ({ env, expected }) => {
  expect(netlab.stateFile(env)).toBe(expected);
});

test('netlab undoes nothing of an action that was ended', () => {
  expect(netlab.mayHaveLeftLab({ HOME: '/no/such/home' }, '/labs/a')).toBe(true);
});

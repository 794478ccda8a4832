import { expect, test } from '@jest/globals';
import type { Action } from '../../../src/labs/actions.ts';
import { netlab } from '../../../src/labs/drivers/netlab/netlab.ts';
import { nameClash } from '../../../src/labs/name-clash.ts';

const job = (action: Action, workdir: string) => ({
  id: 'job-1',
  action,
  workdir,
  instance: 'dc1',
  request: {},
  startedAt: null,
});
const { checkLab: _none, ...driver } = netlab;
const deps = { driver, env: {}, run: () => Promise.reject(new Error('nothing is looked at here')) };

test('two jobs about one name in two directories do not run side by side, unless one changes nothing', async () => {
  expect(await nameClash(job('down', '/a'), [job('up', '/b')], deps)).toMatch(/one lab has a name at a time/);
  expect(await nameClash(job('down', '/a'), [job('status', '/b')], deps)).toBeUndefined();
  expect(await nameClash(job('status', '/b'), [job('up', '/a')], deps)).toBeUndefined();
});

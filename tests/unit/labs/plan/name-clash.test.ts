import { expect, test } from '@jest/globals';
import type { Action } from '../../../../src/labs/model/actions.ts';
import type { LabAsked } from '../../../../src/labs/drivers/lab-driver.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { nameClash } from '../../../../src/labs/plan/name-clash.ts';
import { AppError } from '../../../../src/lib/app-error.ts';

const job = (action: Action, workdir: string) => ({
  id: 'job-1',
  action,
  workdir,
  instance: 'dc1',
  request: {},
  startedAt: null,
});
const { checkLab: _none, ...driver } = netlab;
const deps = { driver, env: {}, run: () => Promise.reject(new Error('the test reads no files')) };

test('two jobs about one name in two directories do not run side by side, unless one changes nothing', async () => {
  expect(await nameClash(job('down', '/a'), [job('up', '/b')], deps)).toMatch(/one lab has a name at a time/);
  expect(await nameClash(job('down', '/a'), [job('status', '/b')], deps)).toBeUndefined();
  expect(await nameClash(job('status', '/b'), [job('up', '/a')], deps)).toBeUndefined();
});

test('they do when they are about two labs, about one in its directory, or about none', async () => {
  const others = [{ ...job('up', '/b'), instance: 'dc2' }, job('up', '/a')];
  expect(await nameClash(job('down', '/a'), others, deps)).toBeUndefined();
  const nameless = { ...job('up', '/a'), instance: null };
  expect(await nameClash(nameless, [{ ...nameless, workdir: '/b', id: 'job-2' }], deps)).toBeUndefined();
});

test('the reason comes from the lab CLI', async () => {
  const looks: unknown[] = [];
  const checkLab = async (asked: LabAsked): Promise<void> => {
    looks.push(asked);
    throw new AppError('conflict', `the lab "${asked.instance}" is elsewhere`);
  };
  const asking = { env: { A: '1' }, run: deps.run, others: ['engine'] };
  const why = nameClash(job('down', '/a'), [], { driver: { ...driver, checkLab }, ...asking });
  expect(await why).toBe('the lab "dc1" is elsewhere');
  expect(looks).toEqual([{ action: 'down', workdir: '/a', instance: 'dc1', options: {}, ...asking }]);
});

import { expect, test } from '@jest/globals';
import { remainsOfLab } from '../../../../../src/labs/drivers/containerlab/lab-remains.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { printed } from '../../../../support/run-result.ts';

function looking(result: RunResult) {
  const seen: string[] = [];
  const look = (program: string, args: readonly string[]) => {
    seen.push([program, ...args].join(' '));
    return Promise.resolve(result);
  };
  return { seen, look };
}

test('containers by the label that has the name of the lab, those that are stopped too', async () => {
  const { seen, look } = looking(printed('clab-demo-r1\nclab-demo-r2\n'));
  expect(await remainsOfLab({ instance: 'demo', look })).toBe('the containers clab-demo-r1, clab-demo-r2');
  expect(seen).toEqual(['docker ps --all --filter label=containerlab=demo --format {{.Names}}']);
});

test.each([
  ['there is none', printed('')],
  ['Docker must not be asked', printed('', { exitCode: 1 })],
  ['Docker is not there', printed('', { exitCode: null, spawnError: 'ENOENT' })],
  ['Docker hangs', printed('clab-demo-r1\n', { exitCode: null, ended: 'timeout' })],
])('nothing is seen where %s', async (_what, result) => {
  expect(await remainsOfLab({ instance: 'demo', look: looking(result).look })).toBeUndefined();
});

test('nobody looks for a lab without a name', async () => {
  const { seen, look } = looking(printed('clab-demo-r1\n'));
  expect(await remainsOfLab({ instance: null, look })).toBeUndefined();
  expect(seen).toEqual([]);
});

import { expect, test } from '@jest/globals';
import type { ClaimedSuccess, LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import { verifySuccess } from '../../../../src/labs/results/verify-success.ts';
import { printed } from '../../../support/run-result.ts';

/** A lab CLI that believes nothing: with what each of its checks was given. */
function doubter() {
  const claims: [string, ClaimedSuccess][] = [];
  const doubt = (check: string) => async (claim: ClaimedSuccess) => {
    claims.push([check, claim]);
    return Promise.resolve(`not ${check}`);
  };
  const resultChecks: LabDriver['resultChecks'] = {
    'lab-is-gone': doubt('gone'),
    'lab-was-found': doubt('found'),
    'nodes-have-started': doubt('started'),
    'nodes-have-stopped': doubt('stopped'),
  };
  return { claims, driver: { resultChecks } };
}

const instanceDirs = async () => Promise.resolve([]);
const look = async () => Promise.resolve(printed(''));
const record = { workdir: '/labs/one', instance: 'one', request: {} };
const whole = { dryRun: false, ofSomeNodes: false, nodes: [] };

test.each([
  ['down', {}, 'gone', whole],
  ['down', { dryRun: true }, 'gone', { ...whole, dryRun: true }],
  ['down', { nodeFilter: ['r1'] }, 'gone', { ...whole, ofSomeNodes: true }],
  ['collect', {}, 'found', whole],
  ['start-nodes', { nodes: ['r1', 'r2'] }, 'started', { ...whole, nodes: ['r1', 'r2'] }],
  ['restart-nodes', { nodes: ['r1'] }, 'started', { ...whole, nodes: ['r1'] }],
  ['stop-nodes', { nodes: ['r1'] }, 'stopped', { ...whole, nodes: ['r1'] }],
] as const)('%s of %j is looked at for what it claims: %s', async (action, request, check, claim) => {
  const { claims, driver } = doubter();
  const verdict = await verifySuccess({ ...record, action, request }, 'the end', {
    driver,
    instanceDirs,
    look,
  });
  expect(verdict).toBe(`not ${check}`);
  const { workdir, instance } = record;
  expect(claims).toEqual([[check, { workdir, instance, logEnd: 'the end', instanceDirs, look, ...claim }]]);
});

test.each(['up', 'create', 'status', 'validate', 'exec'] as const)('%s is believed', async (action) => {
  const { claims, driver } = doubter();
  expect(await verifySuccess({ ...record, action }, '', { driver, instanceDirs, look })).toBeUndefined();
  expect(claims).toEqual([]);
});

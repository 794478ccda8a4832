import { expect, test } from '@jest/globals';
import { checkOptions } from '../../../../../src/labs/drivers/containerlab/arguments.ts';
import { failureOf } from '../../../../support/failure-of.ts';

// `destroy --node-filter ""` destroys the whole lab (0.79).
test.each([[[]], [['n1,n2']], [['n1 n2']], [['n1', '']]])('%j are no names of nodes', async (nodeFilter) => {
  expect(await failureOf(checkOptions({ nodeFilter }, '/labs'))).toMatchObject({ code: 'invalid-request' });
});

test('names of nodes are', async () => {
  await expect(checkOptions({ nodeFilter: ['n1', 'leaf-2.a'] }, '/labs')).resolves.toBeUndefined();
});

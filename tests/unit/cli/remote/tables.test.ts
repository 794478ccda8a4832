import { expect, test } from '@jest/globals';
import { labsTable } from '../../../../src/cli/remote/tables.ts';
import type { Lab } from '../../../../src/client/api-types.ts';

const lab = { cli: 'netlab', host: null, state: 'started', nodes: [], owner: null, workspace: 'w' };

test('labs are listed with their runtime where one of them runs in namespaces', async () => {
  const [one, two] = [
    { ...lab, id: 'one', runtime: 'containers' },
    { ...lab, id: 'two', runtime: 'namespaces' },
  ] as unknown as [Lab, Lab];
  expect(await labsTable([one])).toMatch(/^LAB +STATE +NODES/);
  expect(await labsTable([one, two])).toMatch(
    /^LAB +RUNTIME +STATE.*\none +containers +started.*\ntwo +namespaces +started/,
  );
});

test('a lab that is not ready has the number of nodes that are', async () => {
  const nodes = [{ ready: true }, { ready: false }, { ready: null }];
  const labs = [
    { ...lab, id: 'one', nodes, ready: false },
    { ...lab, id: 'two', nodes, ready: null },
  ] as unknown as Lab[];
  expect(await labsTable(labs)).toMatch(/one +started +3, 1 ready +w\ntwo +started +3 +w/);
});

import { expect, test } from '@jest/globals';
import { labsTable } from '../../../../src/cli/remote/tables.ts';
import type { Lab } from '../../../../src/client/api-types.ts';

test('labs are listed with their runtime where one of them runs in namespaces', async () => {
  const lab = { cli: 'netlab', host: null, state: 'started', nodes: [], owner: null, workspace: 'w' };
  const [one, two] = [
    { ...lab, id: 'one', runtime: 'containers' },
    { ...lab, id: 'two', runtime: 'namespaces' },
  ] as unknown as [Lab, Lab];
  expect(await labsTable([one])).toMatch(/^LAB +STATE +NODES/);
  expect(await labsTable([one, two])).toMatch(
    /^LAB +RUNTIME +STATE.*\none +containers +started.*\ntwo +namespaces +started/,
  );
});

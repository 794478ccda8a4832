import { expect, test } from '@jest/globals';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLab } from '../../../../../src/engine/lab/read-lab.ts';
import { writeSnapshot } from '../../../../../src/engine/lab/snapshot.ts';
import { engineTopology } from '../../../../../src/labs/drivers/engine/engine-topology.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const run = () => Promise.reject(new Error('it runs nothing'));

test('the snapshot that the engine writes', async () => {
  const text = 'nodes: { r1: { role: router }, h1:, h2: }\nlinks: [r1-h1-h2, r1]';
  const read = readLab(text, { directory, plugins: [], settings: [] });
  if (!read.ok) throw new Error('the engine does not take it');
  await writeSnapshot(directory, read.lab);
  expect(engineTopology.snapshotName('default')).toBe('lab.snapshot.json');
  expect(await engineTopology.keptInstance?.(directory, run)).toBe('default');
  const { nodes, links } = await engineTopology.read(directory, run, 'default');
  expect(nodes.map(({ name, role, loopback }) => [name, role, loopback])).toEqual([
    ['r1', 'router', { ipv4: '10.0.0.1/32', ipv6: null }],
    ['h1', 'host', null],
    ['h2', 'host', null],
  ]);
  expect(nodes[1]?.interfaces).toEqual([{ name: 'eth1', link: '1', ipv4: '172.16.0.2/24', ipv6: null }]);
  expect(links).toMatchObject([
    {
      id: '1',
      type: 'lan',
      prefix: { ipv4: '172.16.0.0/24', ipv6: null },
      endpoints: [{ node: 'r1', ipv4: '172.16.0.1/24' }, { node: 'h1' }, { node: 'h2', interface: 'eth1' }],
    },
    { id: '2', type: 'stub', endpoints: [{ node: 'r1', interface: 'eth2' }] },
  ]);
});

test.each([['{'], ['{"nodes": [], "links": 7}']])('%s is no snapshot, and says what to do', async (text) => {
  writeFileSync(path.join(directory, 'lab.snapshot.json'), text);
  const failure = await failureOf(engineTopology.read(directory, run, 'default'));
  expect(failure).toMatchObject({ code: 'lab-cli-failed', message: expect.stringContaining('"up"') });
  // What is wrong with it, a line each.
  expect(failure.extra).toEqual({
    output: expect.arrayContaining([expect.stringMatching(/JSON|links|array/)]),
  });
});

test('a link in its place is not followed', async () => {
  rmSync(path.join(directory, 'lab.snapshot.json'), { force: true });
  writeFileSync(path.join(directory, 'other.json'), '{"nodes": [], "links": []}');
  symlinkSync('other.json', path.join(directory, 'lab.snapshot.json'));
  expect(await failureOf(engineTopology.read(directory, run, 'default'))).toMatchObject({
    code: 'lab-cli-failed',
  });
  expect(await engineTopology.keptInstance?.(directory, run)).toBeUndefined();
});

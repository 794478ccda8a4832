import { beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { LabTopologies } from '../../../../src/labs/topologies/lab-topologies.ts';
import { printed } from '../../../support/run-result.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;
/** What the lab CLI tells. */
let told: Record<string, { readonly dir: string | undefined }>;
let runs: string[];

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'lab-'));
  told = { demo: { dir: directory } };
  runs = [];
  write('{"nodes": {"h1": {"id": 1}}, "links": []}');
});

function write(text: string): void {
  writeFileSync(path.join(directory, 'netlab.snapshot.pickle'), text);
}

const oneNode = '{"nodes": {"h1": {"id": 1}}, "links": []}';
const topologies = (roots: readonly string[] = [], output = oneNode) =>
  new LabTopologies({
    cli: () => ({ name: 'netlab', file: '/bin/netlab', binDirs: [], driver: netlab }),
    roots: new AllowedRoots(roots),
    status: { entries: () => Promise.resolve(new Map(Object.entries(told))) },
    runIn: ({ file }, where, [command = '']) => {
      runs.push(`${file} ${command} in ${where}`);
      return Promise.resolve(printed(output));
    },
  });

test('it is read once, and again when its snapshot is another one', async () => {
  const kept = topologies();
  const first = await kept.of('demo');
  expect(first).toMatchObject({ topology: { nodes: [{ name: 'h1' }], links: [] }, directory });
  expect(await kept.of('demo')).toEqual(first);
  expect(runs).toEqual([`/bin/netlab inspect in ${directory}`]);
  write('another');
  expect((await kept.of('demo')).stamp).not.toBe(first.stamp);
  expect(runs).toHaveLength(2);
});

test('of those with megabytes, the four that were used last are kept', async () => {
  const nodes = Object.fromEntries(Array.from({ length: 12_000 }, (_, id) => [`node-${id}`, { id }]));
  const kept = topologies([], JSON.stringify({ nodes, links: [] }));
  const labs = ['a', 'b', 'c', 'd', 'e'];
  told = Object.fromEntries(labs.map((id) => [id, { dir: directory }]));
  for (const id of labs) await kept.of(id);
  for (const id of labs.slice(1)) await kept.of(id);
  expect(runs).toHaveLength(5);
  await kept.of('a');
  expect(runs).toHaveLength(6);
});

test('the directory is a real path inside the roots', async () => {
  const link = path.join(root, 'link');
  symlinkSync(directory, link);
  told = { demo: { dir: link } };
  expect(await topologies([directory]).directoryOf('demo')).toBe(directory);
  const refused = await failureOf(topologies(['/etc']).of('demo'));
  expect(refused).toMatchObject({ code: 'forbidden-path', errors: [{ field: 'lab "demo"' }] });
  expect(runs).toEqual([]);
});

test('without the lab, its directory or its snapshot there is none', async () => {
  expect(await failureOf(topologies().of('other'))).toMatchObject({ code: 'instance-not-found' });
  rmSync(path.join(directory, 'netlab.snapshot.pickle'));
  const unread = await failureOf(topologies().of('demo'));
  expect(unread).toMatchObject({ code: 'topology-not-found', cause: { code: 'ENOENT' } });
  expect(unread.message).toContain(`no snapshot ${directory}/netlab.snapshot.pickle`);
  rmSync(directory, { recursive: true });
  const gone = await failureOf(topologies().of('demo'));
  expect(gone).toMatchObject({ code: 'topology-not-found' });
  expect(gone.message).toContain(`(${directory}) is not there`);
});

import { expect, test } from '@jest/globals';
import { engine } from '../../../../src/labs/drivers/engine/engine.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import type { LabEntry } from '../../../../src/labs/drivers/status-driver.ts';
import { unknownInstance } from '../../../../src/labs/drivers/status-failure.ts';
import { LabList } from '../../../../src/labs/status/lab-list.ts';
import { printed } from '../../../support/run-result.ts';

const started = (dir: string): LabEntry => ({ dir, status: 'started', providers: ['clab'] });

/** A list over a status that a test writes by hand, at a time that it sets. */
function rig(labs: Record<string, LabEntry>) {
  const world = { nowMs: 1_000_000, costMs: 100, version: '0', said: 'Up 4 seconds', asked: [] as string[] };
  const list = new LabList({
    status: {
      entries: async () => new Map(Object.entries(labs)),
      instance: async (id) => {
        world.asked.push(id);
        world.nowMs += world.costMs;
        if (labs[id] === undefined) throw unknownInstance(id);
        const document = { ...labs[id], nodes: { r1: { status: world.said } } };
        return { body: Buffer.from(JSON.stringify(document)), format: 'json', ageMs: 0 };
      },
      get version() {
        return world.version;
      },
    },
    driver: () => engine,
    there: {
      look: () => Promise.reject(new Error('no node is a container')),
      topologyOf: async () => undefined,
    },
    maxAgeMs: 0,
    now: () => world.nowMs,
  });
  const renew = async () => {
    world.version += '0';
    world.asked.length = 0;
    return (await list.all({ fresh: false })).value;
  };
  return { list, world, renew, labs };
}

test('when one lab has changed, the nodes of the others are not asked for again, until they are old', async () => {
  const { world, renew, labs } = rig({ a: started('/a'), b: started('/b') });
  await renew();
  expect(world.asked.toSorted()).toEqual(['a', 'b']);
  labs['a'] = { ...started('/a'), status: 'stopping' };
  const [a] = await renew();
  expect(a).toMatchObject({ id: 'a', state: 'stopping' });
  expect(world.asked).toEqual(['a']);
  world.nowMs += 10_000;
  await renew();
  expect(world.asked.toSorted()).toEqual(['a', 'b']);
});

test('a lab that goes while its nodes are asked for is left out', async () => {
  const { list, labs } = rig({ a: started('/a'), b: started('/b') });
  const asking = list.all({ fresh: false });
  delete labs['b'];
  expect((await asking).value.map(({ id }) => id)).toEqual(['a']);
});

test('a node came up when it was said most exactly, as long as what is said later fits that', async () => {
  const { world, renew } = rig({ a: started('/a') });
  const since = async () => (await renew())[0]?.nodes[0]?.sinceMs;
  const first = await since();
  expect(first).toBe(world.nowMs - 4_000);
  world.nowMs += 70_000;
  world.said = 'Up About a minute';
  expect(await since()).toBe(first);
  world.nowMs += 70_000;
  world.said = 'Up 2 seconds';
  expect(await since()).toBe(world.nowMs - 2_000);
  world.nowMs += 10_000;
  world.said = 'Exited (1) 2 seconds ago';
  expect((await renew())[0]?.nodes[0]).toMatchObject({ state: 'down' });
});

test('the state and the problem of a netlab lab follow from its containers, in the list and for one', async () => {
  const world = { docker: '/clab-r1\trunning\t11\n', looks: 0, status: 'started' };
  const entry = () => ({ ...started('/a'), status: world.status });
  const node = { provider: 'clab', provider_name: 'clab-r1', status: 'Up 4 seconds' };
  const document = Buffer.from(JSON.stringify({ nodes: { r1: node } }));
  const list = new LabList({
    status: {
      entries: async () =>
        new Map([
          ['a', entry()],
          ['b', entry()],
        ]),
      instance: async () => ({ body: document, format: 'json', ageMs: 0 }),
      version: '0',
    },
    driver: () => netlab,
    there: {
      look: async () => {
        world.looks += 1;
        const stderr = Buffer.from(world.docker === '' ? 'Error: No such container: clab-r1\n' : '');
        return printed(world.docker, { exitCode: world.docker === '' ? 1 : 0, stderr });
      },
      topologyOf: async () => undefined,
    },
    maxAgeMs: 60_000,
  });
  const fresh = { fresh: true };
  const all = async () => (await list.all(fresh)).value;
  expect(await all()).toMatchObject([
    { id: 'a', state: 'started', problem: null, nodes: [{ state: 'up' }] },
    { id: 'b', state: 'started' },
  ]);
  expect(world.looks).toBe(1);
  world.docker = '';
  const gone = { state: 'missing', problem: '1 of 1 nodes is down: r1', nodes: [{ state: 'down' }] };
  expect(await all()).toMatchObject([gone, gone]);
  expect((await list.one('a', fresh)).value).toMatchObject(gone);
  expect(world.looks).toBe(3);
  // Many that ask for one lab share a look.
  await Promise.all(Array.from({ length: 10 }, async () => list.one('a', { fresh: false })));
  expect(world.looks).toBe(3);
  world.status = 'stopping clab provider';
  expect(await all()).toMatchObject([{ state: 'stopping', problem: null }, {}]);
});

test('the nodes of a netlab lab that netlab does not tell are those that Docker has in its directory', async () => {
  const entry = { dir: '/a', status: 'starting provider clab', providers: ['clab'] };
  const asked: string[] = [];
  const labels = [
    ['clab-demo-r2', '/a/clab.yml', '', 'r2', 'frr:10', 'Exited (1) 2 seconds ago'],
    ['clab-demo-r1', '/a/clab.yml', '', 'r1', 'frr:10', 'Up 4 seconds'],
    ['clab-demo-r1', '/b/clab.yml', '', 'r1', 'frr:10', 'Up 4 seconds'],
  ];
  const answers: Record<string, string> = {
    ps: labels.map((row) => `${row.join('\t')}\n`).join(''),
    container: '/clab-demo-r1\trunning\t11\n/clab-demo-r2\texited\t0\n',
  };
  const body = Buffer.from(JSON.stringify(entry));
  const list = new LabList({
    status: {
      entries: async () => new Map<string, LabEntry>([['a', entry]]),
      instance: async () => ({ body, format: 'json', ageMs: 0 }),
      version: '0',
    },
    driver: () => netlab,
    there: {
      look: async (program, [command = '']) => {
        asked.push(`${program} ${command}`);
        return printed(answers[command] ?? '');
      },
      topologyOf: async () => undefined,
    },
    maxAgeMs: 60_000,
  });
  const lab = {
    state: 'starting',
    problem: '1 of 2 nodes is down: r2',
    nodes: [
      { name: 'r1', image: 'frr:10', provider: 'clab', state: 'up', sinceMs: expect.any(Number) },
      { name: 'r2', state: 'down', sinceMs: null },
    ],
  };
  expect((await list.all({ fresh: true })).value).toMatchObject([lab]);
  expect((await list.one('a', { fresh: true })).value).toMatchObject(lab);
  answers['ps'] = '';
  expect((await list.one('a', { fresh: true })).value).toMatchObject({ nodes: [], problem: null });
  entry.providers = ['libvirt'];
  asked.length = 0;
  expect((await list.all({ fresh: true })).value).toMatchObject([{ nodes: [] }]);
  expect(asked).toEqual([]);
});

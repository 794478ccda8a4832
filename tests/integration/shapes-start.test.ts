/** Topologies that the page writes, as the lab CLIs read them: each starts as it is. */
import { expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, lab, missingForAnyLabs, unreachable } from '../support/engine-cli.ts';
import { netlab, netlabLab } from '../support/netlab-oracle.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { testUnless } from '../support/requirements.ts';
import {
  planOf,
  shapeNames,
  topologyText,
  type Numbers,
  type ShapeName,
} from '../../web/dashboard/src/parts/drawing/shapes.ts';

const missing = missingForAnyLabs();
const { because, it, root, home, takeDownLater } = preparedLabs({ missing });
const inNetlab = testUnless(netlab.missing);

const small: Readonly<Record<ShapeName, Numbers>> = {
  blank: {},
  line: { routers: 2, hosts: 2 },
  ring: { routers: 3, hosts: 2 },
  star: { routers: 2, hosts: 2 },
  'spine-leaf': { spines: 1, leaves: 2, hosts: 1 },
  mesh: { routers: 3, hosts: 2 },
};
const ofSixtyNodes: readonly [ShapeName, Numbers][] = [
  ['line', { routers: 30, hosts: 30 }],
  ['ring', { routers: 58, hosts: 2 }],
  ['star', { routers: 39, hosts: 20 }],
  ['spine-leaf', { spines: 4, leaves: 14, hosts: 3 }],
  ['mesh', { routers: 20, hosts: 40 }],
];
const all = [...shapeNames.map((name): [ShapeName, Numbers] => [name, small[name]]), ...ofSixtyNodes];

function written(shape: ShapeName, numbers: Numbers, label: string) {
  const plan = planOf(shape, numbers);
  const directory = path.join(root, `${label}-${plan.links.length}-${shape}`);
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'topology.yml'), topologyText(plan, 'engine', 'drawn'));
  return { plan, where: { home, directory } };
}

it.each(all)(`the engine takes a %s of %j, without a warning${because}`, async (shape, numbers) => {
  const { where } = written(shape, numbers, 'create');
  expect(await lab(where, ['create', 'topology.yml'])).toMatchObject({ exitCode: 0, stderr: '' });
});

it.each(Object.entries(small).slice(1))(
  `the engine starts a %s whose hosts reach each other${because}`,
  async (shape, numbers) => {
    const { where, plan } = written(shape as ShapeName, numbers, 'up');
    const instance = String(freeInstanceNumber());
    takeDownLater({ where, instance });
    const own = ['--plugin', 'multilab', '--set', `defaults.multilab.id=${instance}`];
    expect(await lab(where, ['up', 'topology.yml', ...own])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await unreachable(where, plan.hosts)).toEqual([]);
    await lab(where, ['down', '--cleanup', '--instance', instance]);
  },
);

inNetlab.it.each(all)(`netlab takes a %s of %j${inNetlab.because}`, async (shape, numbers) => {
  const plan = planOf(shape, numbers);
  const { nodes, links = [] } = await netlabLab(topologyText(plan, 'netlab', 'drawn'));
  expect(new Set(Object.keys(nodes))).toEqual(new Set([...plan.routers, ...plan.hosts]));
  expect(links).toHaveLength(plan.links.length);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';
import { freeInstanceNumber, lab, unreachable } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';

const { because, home, it, root, takeDownLater } = preparedLabs();

/** Two ways between the routers, a bridge among them, a host behind one, and two hosts without any router. */
const topology = (instance: number) => `
plugin: [multilab]
defaults: {multilab.id: ${instance}, device: linux, warnings.nodes.roles: False}
addressing: {p2p: {unnumbered: true}, loopback: {ipv6: 2001:db8:4::/48}, lan: {ipv6: 2001:db8:5::/48}}
nodes:
  r1: {role: router}
  r2: {role: router}
  r3: {role: gateway, loopback: true}
  h1:
  h2:
  h3: {loopback: true}
  h4: {loopback: true}
  h5: {loopback: true}
links:
- r1-r2
- group: more
  unnumbered: true
  members: [r2-r3, [r2, h3], [h4, h5], [r1, r2, r3]]
- h1-r1
- h2-r3
`;

it(`nodes reach each other over links without addresses, in both families${because}`, async () => {
  const instance = freeInstanceNumber();
  const place = { home, directory: path.join(root, 'unnumbered') };
  mkdirSync(place.directory);
  writeFileSync(path.join(place.directory, 'topology.yml'), topology(instance));
  takeDownLater({ where: place, instance: String(instance) });
  expect(await lab(place, ['up', '-q'])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  const joined = ['r1', 'r2', 'r3', 'h1', 'h2', 'h3'];
  expect(await unreachable(place, joined)).toEqual([]);
  expect(await unreachable(place, ['h4', 'h5'])).toEqual([]);
  expect(await unreachable(place, joined, '-6')).toEqual([]);
});

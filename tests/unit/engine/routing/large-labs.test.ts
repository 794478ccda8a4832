/** Labs of a thousand nodes, in a file of their own: they take seconds, which is too long to be asked again for each change. */
import { expect, test } from '@jest/globals';
import { Forwarding } from '../../../support/forwarding.ts';
import { partOfTests } from '../../../support/thorough.ts';
import { labOf, routersInALine } from '../../../support/topologies.ts';

test('1,000 routers in a line: few routes', () => {
  const text = routersInALine(1000);
  const lab = labOf(text);
  const routes = lab.nodes.map((node) => node.routes.length);
  expect(Math.max(...routes)).toBeLessThan(120);
  const network = new Forwarding(lab);
  for (const [from, to] of [
    ['r1', '10.8.0.150'],
    ['r150', '10.8.0.1'],
    ['r900', '2001:db8:0:320::1'],
    ['r501', '10.1.7.209'],
  ] as const)
    expect(network.send(from, to)).toBe('delivered');
});

test('1,000 leaves around a hub: leaves need few routes', () => {
  const nodes = Array.from({ length: 1000 }, (_, index) => `l${index}: {role: router}`).join(', ');
  const links = Array.from({ length: 1000 }, (_, index) => `hub-l${index}`).join(', ');
  const loopback = 'loopback: {ipv4: 10.8.0.0/16}';
  const lab = labOf(`{addressing: {${loopback}}, nodes: {hub: {role: router}, ${nodes}}, links: [${links}]}`);
  expect(Math.max(...lab.nodes.slice(1).map(({ routes }) => routes.length))).toBeLessThan(40);
});

test.each(partOfTests([1000, 5000], 2))('%i nodes in a line are read and routed', (count) => {
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  const nodes = names.map((name) => `  ${name}: {role: router}`);
  const links = names.slice(1).map((name, index) => `- n${index}-${name}`);
  const head = 'addressing.loopback.ipv4: 10.8.0.0/16';
  const lab = labOf([head, 'nodes:', ...nodes, 'links:', ...links].join('\n'));
  expect(lab.nodes).toHaveLength(count);
  expect(lab.nodes.every(({ routes }) => routes.length > 0)).toBe(true);
});

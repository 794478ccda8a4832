import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readLab } from '../../../../../src/engine/lab/read-lab.ts';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';
import type { Mapping } from '../../../../../src/lib/mapping.ts';

/** What is said at a glance, and whether the engine takes the topology. */
function judge(text: string): { said: readonly string[]; isTaken: boolean } {
  const said = engine.topologies.summarize(parse(text, { merge: true }) as Mapping).unsupported;
  return { said, isTaken: readLab(text, { directory: '/labs/demo', plugins: [], settings: [] }).ok };
}

test.each([
  'nodes: [a, b]\nlinks: [a-b]',
  'nodes: { a: { device: linux-router }, b: { device: none }, c: }\ndefaults.device: linux\nlinks: [a-b-c]',
  'plugin: [multilab, bgp.session]\ndefaults.multilab.id: 7\nnodes: [a, b]\nlinks: [a-b]',
  'groups: { x: { members: [a], device: linux } }\nnodes: [a, b]\nlinks: [a-b]',
])('nothing is said against what the engine takes: %j', (text) => {
  expect(judge(text)).toEqual({ said: [], isTaken: true });
});

test.each([
  ['device "frr"', 'nodes: { a: { device: frr } }'],
  ['device "frr"', 'defaults: { device: frr }\nnodes: [a]'],
  ['device "eos"', 'groups: { x: { members: [a], device: eos } }\nnodes: [a]'],
  ['"module"', 'module: [ospf]\nnodes: [a]'],
  ['"module"', 'nodes: { a: { module: [bgp] } }'],
  ['"vlans"', 'vlans: { red: {} }\nnodes: [a]'],
  ['"module"', 'groups: { x: { members: [a], module: [bgp] } }\nnodes: [a]'],
  ['"config"', 'nodes: { a: { config: [x] } }'],
  ['plugin "fabric"', 'plugin: fabric\nnodes: [a]'],
])('%s is said of what the engine refuses: %j', (words, text) => {
  const { said, isTaken } = judge(text);
  expect(said).toEqual([expect.stringContaining(words)]);
  expect(isTaken).toBe(false);
});

test('what is empty, or goes by its module, is not named twice', () => {
  expect(judge('module:\nplugin: proxy_arp\nnodes: [a]').said).toEqual([]);
});

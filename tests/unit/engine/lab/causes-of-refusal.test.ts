import { expect, test } from '@jest/globals';
import { causesOf } from '../../../../scripts/engine-coverage/causes.mjs';
import { errorsOf } from '../../../support/topologies.ts';

const nodes = 'nodes: {a: {role: router}, b: {role: router}, c: }';

/** A topology for each kind of sentence about what netlab takes, and the part of it that scripts/engine-coverage.mjs counts. */
test.each([
  [`${nodes}\nmodule: [ospf]`, '"module" is an attribute of netlab that the bundled engine does not support'],
  [`${nodes}\nplugin: [fabric]`, 'the bundled engine does not support plugin "fabric"'],
  [`${nodes}\ndefaults.groups: {x: }`, 'groups… in defaults are not supported: put them next to nodes'],
  [`${nodes}\ngroups: {g: {type: vlan}}`, 'groups…: the bundled engine supports only groups of nodes'],
  [
    'nodes: {a: {device: eos}}',
    'device "eos": the bundled engine supports only linux, linux-router and none',
  ],
  [
    'nodes: {a: {role: bridge}}',
    'nodes… "bridge" is a value of netlab that the bundled engine does not support',
  ],
  [
    `${nodes}\nlinks: [{a: {ipv4: dhcp}, b: }]`,
    'links….a.ipv4 must not be dhcp, which the bundled engine does not support',
  ],
])('%s', (topology, cause) => {
  const [sentence = ''] = errorsOf(topology);
  const printed = `Fatal error in lab create: t.yml:${sentence.replace(' ', ': ')}\n`;
  expect(causesOf(printed)).toEqual([cause]);
});

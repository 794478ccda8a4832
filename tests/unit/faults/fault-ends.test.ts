import { describe, expect, test } from '@jest/globals';
import { endsOf, findLink } from '../../../src/faults/fault-ends.ts';
import type { LabTopology } from '../../../src/labs/drivers/topology.ts';
import { bareNode } from '../../support/bare-node.ts';

const none = { ipv4: null, ipv6: null };
const linkOf = (id: string, ...ends: readonly string[]): LabTopology['links'][number] => ({
  id,
  type: 'p2p',
  prefix: none,
  endpoints: ends.map((end) => {
    const [node = '', name = ''] = end.split(':');
    return { node, interface: name, ...none };
  }),
});
const topology: LabTopology = {
  nodes: ['r1', 'r2', 'r3', 'h1'].map(bareNode),
  links: [
    linkOf('1', 'r1:eth1', 'r2:eth1'),
    linkOf('2', 'r1:eth2', 'r2:eth2'),
    linkOf('3', 'r2:eth3', 'r3:eth1'),
    linkOf('4', 'r1:eth3', 'r2:eth4', 'r3:eth2'),
    linkOf('5', 'r3:eth3', 'r3:eth4'),
  ],
};

const link = (name: string, node: string | null = null) =>
  endsOf(topology, { link: name, node, kind: 'down' });
const failure = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

describe('a link', () => {
  test('has the interfaces of all its ends, or those of one node', () => {
    expect(link('4')).toEqual({
      link: '4',
      node: null,
      interfaces: new Map([
        ['r1', ['eth3']],
        ['r2', ['eth4']],
        ['r3', ['eth2']],
      ]),
    });
    expect(link('4', 'r3').interfaces).toEqual(new Map([['r3', ['eth2']]]));
    expect(link('5').interfaces).toEqual(new Map([['r3', ['eth3', 'eth4']]]));
  });

  test('is found by its nodes, in either order', () => {
    expect(findLink(topology, 'r2-r3').id).toBe('3');
    expect(findLink(topology, 'r3-r2').id).toBe('3');
  });

  test.each([
    ['r1-r2', 'invalid-request', 'link: several links are "r1-r2": give one of 1, 2'],
    ['r1-r3', 'link-not-found', expect.stringContaining('its links are 1 (r1-r2), 2 (r1-r2), 3 (r2-r3)')],
    ['', 'link-not-found', expect.any(String)],
  ])('%s is refused', (name, code, message) => {
    expect(failure(() => link(name))).toMatchObject({ code, message });
  });

  test('does not end at any node', () => {
    expect(failure(() => link('3', 'r1'))).toMatchObject({
      code: 'invalid-request',
      message: 'node: link 3 does not end at "r1" but at r2, r3',
    });
  });
});

describe('a node', () => {
  const node = (name: string, kind: 'isolated' | 'paused') =>
    endsOf(topology, { link: null, node: name, kind });

  test('is cut off at all its links; for its processes, no interface counts', () => {
    expect(node('r3', 'isolated').interfaces).toEqual(new Map([['r3', ['eth1', 'eth2', 'eth3', 'eth4']]]));
    expect(node('r3', 'paused').interfaces).toEqual(new Map([['r3', []]]));
  });

  test('that is not there, or has no links, is refused', () => {
    expect(failure(() => node('r9', 'paused'))).toMatchObject({ code: 'node-not-found' });
    expect(failure(() => node('h1', 'isolated'))).toMatchObject({ code: 'not-supported' });
  });
});

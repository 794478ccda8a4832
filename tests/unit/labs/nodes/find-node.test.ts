import { expect, test } from '@jest/globals';
import { findNode } from '../../../../src/labs/nodes/find-node.ts';
import type { Mapping } from '../../../../src/lib/mapping.ts';
import { failureOf } from '../../../support/failure-of.ts';

const body = Buffer.from('the document');

/** A lab of these nodes; undefined for one that is not up. */
const labOf = (nodes: Mapping | undefined): Parameters<typeof findNode>[0] => ({
  instance: async (id, format, { fresh }) => {
    expect([id, format, fresh]).toEqual(['demo', 'json', false]);
    return Promise.resolve({ body, format, ageMs: 0 });
  },
  nodeEntriesOf: (document) => {
    expect(document).toBe(body);
    return nodes;
  },
});

test('what the lab says of a node is given', async () => {
  const r1 = { device: 'frr' };
  expect(await findNode(labOf({ r1, r2: {} }), 'demo', 'r1')).toBe(r1);
});

test('in a lab that is not up there is none', async () => {
  expect(await failureOf(findNode(labOf(undefined), 'demo', 'r1'))).toMatchObject({ code: 'lab-not-up' });
});

test.each(['r3', 'constructor', '__proto__', ''])(
  '%j is none, and those there are are told',
  async (name) => {
    expect(await failureOf(findNode(labOf({ r1: {}, r2: {} }), 'demo', name))).toMatchObject({
      code: 'node-not-found',
      message: `the lab demo has no node "${name}"; its nodes are r1, r2`,
    });
  },
);

test('what is no description of a node is none', async () => {
  expect(await failureOf(findNode(labOf({ r1: 'up' }), 'demo', 'r1'))).toMatchObject({
    code: 'node-not-found',
  });
});

test.each([
  [20, 'n19'],
  [21, 'n19, …'],
])('of %i nodes, twenty are told', async (count, end) => {
  const nodes = Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, {}]));
  const { message } = await failureOf(findNode(labOf(nodes), 'demo', 'r1'));
  expect(message.endsWith(`, ${end}`)).toBe(true);
});

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Lab, LabNode } from '../../../../src/engine/core/lab.ts';
import { labOf } from '../../../support/topologies.ts';

const directory = path.join(__dirname, '../../../fixtures/addressing');
const names = readdirSync(directory)
  .filter((file) => file.endsWith('.yml'))
  .map((file) => file.slice(0, -'.yml'.length));

interface Vector {
  readonly nodes: Record<string, { readonly gateway?: string }>;
  readonly links: readonly unknown[];
}

function nodeAsVector({ id, role, loopback, interfaces }: LabNode) {
  return {
    id,
    role,
    loopback: loopback?.ipv4 ?? null,
    interfaces: interfaces.map(({ linkIndex, ...rest }) => ({ ...rest, linkindex: linkIndex })),
  };
}

/** A lab in the form of the vectors, without gateways. */
function asVector({ nodes, links }: Lab) {
  return {
    nodes: Object.fromEntries(nodes.map((node) => [node.name, nodeAsVector(node)])),
    links: links.map(({ linkIndex, type, prefix }) => ({ linkindex: linkIndex, type, prefix })),
  };
}

function withoutGateways(vector: Vector) {
  const nodes = Object.entries(vector.nodes).map(
    ([name, node]) => [name, { ...node, gateway: undefined }] as const,
  );
  return { ...vector, nodes: Object.fromEntries(nodes) };
}

describe('topologies that netlab 26.10 addressed', () => {
  test('are there', () => expect(names.length).toBeGreaterThanOrEqual(6));

  test.each(names)('%s: the same addresses', (name) => {
    const text = readFileSync(path.join(directory, `${name}.yml`), 'utf8');
    const vector = JSON.parse(readFileSync(path.join(directory, `${name}.json`), 'utf8')) as Vector;
    expect(asVector(labOf(text))).toEqual(withoutGateways(vector));
  });

  test.each(names)('%s: hosts use the same gateway', (name) => {
    const text = readFileSync(path.join(directory, `${name}.yml`), 'utf8');
    const vector = JSON.parse(readFileSync(path.join(directory, `${name}.json`), 'utf8')) as Vector;
    for (const node of labOf(text).nodes) {
      const gateway = vector.nodes[node.name]?.gateway?.split('/')[0];
      const ways = new Set(node.routes.map(({ via }) => via).filter((via) => via?.includes(':') === false));
      if (node.role === 'host') expect([...ways]).toEqual(gateway === undefined ? [] : [gateway]);
    }
  });
});

/** How scripts/schema-hints.mjs converts the descriptions of the lab CLIs to the hints of the editor. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { containerlabParts } from '../../../scripts/schema-hints/containerlab.mjs';
import { netlabParts } from '../../../scripts/schema-hints/netlab.mjs';
import { repoRoot } from '../../support/repo-files.ts';
import { requirement, testUnless } from '../../support/requirements.ts';

const file = path.join(repoRoot, 'web/dashboard/src/pages/workspaces/editor/lab-schemas.json');
const { netlabVersion } = JSON.parse(readFileSync(file, 'utf8')) as { netlabVersion: string };

/** Why the file cannot be made again here: another version of netlab has other attributes. */
function missingForFile(): string | undefined {
  const netlab = requirement('netlab');
  if (netlab.missing !== undefined) return netlab.missing;
  const installed = execFileSync(netlab.file, ['version'], { encoding: 'utf8' });
  return installed.includes(`netlab version ${netlabVersion}\n`)
    ? undefined
    : `netlab is not ${netlabVersion}`;
}

const { it, because } = testUnless(missingForFile());

it(`the file is what the script makes of netlab${because}`, () => {
  const script = path.join(repoRoot, 'scripts/schema-hints.mjs');
  const { status, stdout, stderr } = spawnSync(script, ['--check'], { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
}, 60_000);

describe('of the defaults of netlab', () => {
  const parts = netlabParts({
    attributes: {
      global: { name: { type: 'id', _help: 'Prose that is not copied.' }, nodes: null, links: null },
      node: {
        role: { type: 'str', valid_values: ['router', 'host'] },
        level: { type: 'str', valid_values: { first: null, second: null } },
        config: { type: 'dict', _subtype: { type: 'error', _err_msg: 'Not possible.' } },
        loopback: { type: 'dict', _alt_types: ['bool'] },
        speed: { type: 'int', _alt_types: ['bool'], min_value: 1 },
      },
      link: { prefix: { ipv4: 'ipv4' }, mtu: { type: 'int', min_value: 64 }, tested: '_v_entry' },
      link_no_propagate: ['prefix'],
      interface: { ifname: 'str' },
      loopback: { ipv4: { type: 'ipv4', use: 'host_prefix' } },
      _v_entry: { nodes: { type: 'list', _subtype: 'node_id' } },
    },
    ospf: {
      attributes: {
        global: { type: { type: 'str', valid_values: ['a', 'b'] } },
        node: {
          af: { _list_to_dict: true, ipv4: 'bool', ipv6: 'bool' },
          import: { type: 'dict', _keytype: 'r_proto' },
        },
        link: { cost: 'int' },
        interface: { priority: 'int' },
      },
    },
    devices: { frr: { clab: { image: 'x' }, features: { ospf: { import: ['connected'] } } } },
    providers: { clab: { attributes: { node: { _keys: { type: 'str', image: 'str' }, type: 'dict' } } } },
    addressing: { lan: { ipv4: '172.16.0.0/16' } },
  });
  const keysOf = (name: string) => {
    const part = parts[name];
    return typeof part === 'object' ? (part.keys ?? {}) : {};
  };

  test('values and their types are kept, sentences and refused values are not', () => {
    expect(keysOf('node')).toMatchObject({
      role: { values: ['router', 'host'] },
      level: { values: ['first', 'second'] },
      speed: { values: ['true', 'false'] },
      config: 'dict',
      loopback: 'loopback',
      ospf: 'ospf.node',
      clab: 'clab.node',
    });
    expect(JSON.stringify(parts)).not.toMatch(/Prose|possible|172/);
  });

  test('a key can be named type', () => {
    expect(keysOf('ospf.global')).toEqual({ type: { values: ['a', 'b'] } });
    expect(keysOf('clab.node')).toEqual({ type: 'str', image: 'str', kind: 'kind' });
  });

  test('interfaces inherit from links', () => {
    expect(keysOf('interface')).toMatchObject({ ifname: 'str', mtu: 'int', ospf: 'ospf.interface+link' });
    expect(keysOf('interface')).not.toHaveProperty('prefix');
    expect(Object.keys(keysOf('ospf.interface+link')).toSorted()).toEqual(['cost', 'priority']);
  });

  test('lists that stand for a map have its keys', () => {
    expect(keysOf('ospf.node')).toEqual({
      af: { keys: { ipv4: 'bool', ipv6: 'bool' }, item: { values: ['ipv4', 'ipv6'] } },
      import: { key: 'r_proto' },
    });
    expect(parts['r_proto']).toEqual({ values: ['connected'] });
  });

  test('names of the same file, and settings, are possible', () => {
    expect(keysOf('_v_entry')).toEqual({ nodes: { item: 'node_id' } });
    expect(parts['node_id']).toEqual({ names: ['nodes'] });
    expect(keysOf('defaults')['devices']).toMatchObject({
      key: 'device',
      each: { keys: { clab: { keys: { image: '' } } } },
    });
  });
});

test('of the schema of containerlab: definitions, alternatives and patterns', () => {
  const parts = containerlabParts({
    definitions: {
      node: {
        type: 'object',
        properties: {
          policy: { type: 'string', enum: ['Always', 'always', 'no'] },
          type: { type: 'string' },
        },
        // As text: an object with this key would be a promise.
        allOf: [JSON.parse('{ "then": { "properties": { "type": { "enum": ["l2"] } } } }') as object],
      },
      'link-endpoint': { type: 'object', properties: { node: { type: 'string' } } },
      short: { properties: { endpoints: { type: 'array' }, mtu: { type: 'number' } } },
      long: {
        properties: {
          type: { const: 'veth' },
          endpoints: { items: { $ref: '#/definitions/link-endpoint' } },
        },
      },
      unused: { type: 'string' },
    },
    properties: {
      debug: { oneOf: [{ type: 'null' }, { type: 'boolean' }] },
      label: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      nodes: { patternProperties: { '.*': { oneOf: [{ type: 'null' }, { $ref: '#/definitions/node' }] } } },
      links: {
        type: 'array',
        items: { anyOf: [{ $ref: '#/definitions/short' }, { $ref: '#/definitions/long' }] },
      },
    },
  });
  expect(parts).toEqual({
    'link-endpoint': { keys: { node: 'node-name' }, names: ['topology.nodes'] },
    node: { keys: { policy: { values: ['always', 'no'] }, type: { values: ['l2'] } } },
    'node-name': { names: ['topology.nodes'] },
    topology: {
      keys: {
        debug: { values: ['true', 'false'] },
        label: 'string',
        nodes: { each: 'node' },
        links: {
          item: { keys: { endpoints: { item: 'link-endpoint' }, mtu: 'number', type: { values: ['veth'] } } },
        },
      },
    },
  });
});

/** The fields of the forms beside a drawing, and the values that their texts become. */
import { describe, expect, test } from '@jest/globals';
import type { ServiceInfo, TemplateList } from '../../../src/client/api-types.ts';
import type { Drawing, DrawnNode } from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import {
  devicesFor,
  languageOf,
} from '../../../web/dashboard/src/pages/workspaces/drawing/device-choices.ts';
import {
  cleared,
  otherKeys,
  smallestChange,
} from '../../../web/dashboard/src/pages/workspaces/drawing/field-values.ts';
import { valueAt } from '../../../web/dashboard/src/parts/drawing/yaml-text.ts';
import { fieldsOf, type FormField } from '../../../web/dashboard/src/pages/workspaces/drawing/form-fields.ts';
import {
  addNode,
  freeName,
  namesOfCopies,
} from '../../../web/dashboard/src/pages/workspaces/drawing/free-names.ts';
import {
  asNumber,
  endAddress,
  interfaceName,
  lines,
  linkPrefix,
  loopback,
  wholeNumber,
  word,
  type TextForm,
} from '../../../web/dashboard/src/pages/workspaces/drawing/text-forms.ts';

const nodeOf = (name: string, attributes: DrawnNode['attributes'] = {}): DrawnNode => ({
  name,
  device: typeof attributes['kind'] === 'string' ? attributes['kind'] : null,
  role: null,
  groups: [],
  attributes,
  span: { from: 0, to: 1 },
});

const drawingOf = (nodes: readonly DrawnNode[], format: Drawing['format'] = 'netlab'): Drawing => ({
  format,
  nodes,
  links: [],
  groups: [{ name: 'r9', members: [] }],
  unseen: [],
});

const labels = (fields: readonly FormField[]): readonly string[] => fields.map(({ label }) => label);

describe('fields', () => {
  const empty = drawingOf([]);

  test.each([
    ['netlab', ['Device', 'Image', 'Role', 'Loopback', 'Modules']],
    ['engine', ['Device', 'Role', 'Loopback']],
    ['containerlab', ['Kind', 'Image', 'Type', 'Group', 'Startup configuration', 'Commands after the start']],
  ] as const)('of a node in %s', (language, expected) => {
    expect(labels(fieldsOf('node', language, empty))).toEqual(expected);
  });

  test.each([
    ['netlab', ['Prefix', 'Type', 'Role', 'MTU', 'Bandwidth'], ['Interface', 'IPv4', 'IPv6']],
    ['engine', ['Prefix', 'Type', 'Role', 'MTU'], ['IPv4', 'IPv6']],
    ['containerlab', ['MTU'], ['Interface']],
  ] as const)('of a link and its ends in %s', (language, link, end) => {
    expect(labels(fieldsOf('link', language, empty))).toEqual(link);
    expect(labels(fieldsOf('end', language, empty))).toEqual(end);
  });

  test.each([
    [{ module: ['ospf', 'bgp'] }, true],
    [{ module: 'bgp' }, true],
    [{ bgp: { as: 1 } }, true],
    [{ module: ['ospf'] }, false],
  ])('the AS number is for labs with BGP: %j', (attributes, isShown) => {
    const fields = fieldsOf('node', 'netlab', drawingOf([nodeOf('r1', attributes), nodeOf('r2')]));
    expect(labels(fields).includes('AS number')).toBe(isShown);
  });

  test('other attributes are named, also those inside a map that a field shows in part', () => {
    const attributes = {
      device: 'frr',
      clab: { image: 'x' },
      bgp: { as: 1, community: [] },
      loopback: { ipv4: '10.0.0.1/32', pool: 'x' },
      role: { strange: true },
    };
    const fields = fieldsOf('node', 'netlab', drawingOf([nodeOf('r1', attributes)]));
    expect(otherKeys(attributes, fields)).toEqual(['clab', 'bgp.community', 'loopback.pool']);
    expect(otherKeys({ bgp: true }, fields)).toEqual(['bgp']);
    expect(valueAt(attributes, ['bgp', 'as'])).toBe(1);
    expect(valueAt({ bgp: true }, ['bgp', 'as'])).toBeUndefined();
  });

  test('a change is about one entry of a map where that is enough', () => {
    const before = { ipv4: '10.0.0.0/24', ipv6: '2001:db8::/64', pool: 'lan' };
    const change = (wanted: unknown) => smallestChange(['prefix'], before, wanted);
    expect(change({ ...before, ipv4: '10.1.0.0/24' })).toEqual({
      keys: ['prefix', 'ipv4'],
      value: '10.1.0.0/24',
    });
    expect(change({ ipv4: before.ipv4, pool: 'lan' })).toEqual({
      keys: ['prefix', 'ipv6'],
      value: undefined,
    });
    expect(change({ pool: 'lan' })).toEqual({ keys: ['prefix'], value: { pool: 'lan' } });
    expect(change(false)).toEqual({ keys: ['prefix'], value: false });
  });

  test('clearing a field leaves what it does not show', () => {
    const [prefix] = fieldsOf('link', 'netlab', empty);
    const without = (value: unknown) => prefix && cleared(prefix, value);
    expect(without({ ipv4: '10.0.0.0/24', allocation: 'p2p' })).toEqual({
      kind: 'value',
      value: { allocation: 'p2p' },
    });
    expect(without({ ipv4: '10.0.0.0/24' })).toEqual({ kind: 'value', value: undefined });
    expect(without('10.0.0.0/24')).toEqual({ kind: 'value', value: undefined });
  });
});

describe('texts', () => {
  const read = (form: TextForm, text: string, before?: unknown): unknown => {
    const parsed = form.read(text, before);
    return parsed.kind === 'value' ? parsed.value : parsed.message;
  };
  const v4 = '10.1.0.0/24';
  const v6 = '2001:db8::/64';

  test.each<[string, TextForm, string, unknown]>([
    ['a prefix', linkPrefix, v4, v4],
    ['both prefixes', linkPrefix, `${v6}, ${v4}`, { ipv4: v4, ipv6: v6 }],
    ['an IPv6 prefix', linkPrefix, v6, { ipv6: v6 }],
    ['no prefix', linkPrefix, 'none', false],
    ['the name of a prefix', linkPrefix, 'backbone', 'backbone'],
    [
      'an address',
      linkPrefix,
      '10.1.0.7/24',
      expect.stringContaining('must be a network such as 10.1.0.0/24'),
    ],
    ['two of a family', linkPrefix, `${v4} 10.2.0.0/24`, expect.stringContaining('one of IPv4')],
    [
      'an octet too large',
      linkPrefix,
      '10.1.0.256/24',
      expect.stringContaining('must be an IPv4 or IPv6 prefix'),
    ],
    ['a reserved range', linkPrefix, '127.0.0.0/8', expect.stringContaining('which no interface may use')],
    ['a loopback', loopback, 'yes', true],
    ['no loopback', loopback, 'no', false],
    ['its address', loopback, '10.0.0.1/32', { ipv4: '10.0.0.1/32' }],
    ['a word', loopback, 'maybe', 'must be yes, no, or addresses such as 10.0.0.1/32'],
    ['an address of an end', endAddress('ipv4'), '10.1.0.7', '10.1.0.7'],
    ['with its length', endAddress('ipv6'), '2001:db8::7/64', '2001:db8::7/64'],
    ['a host number', endAddress('ipv4'), '7', 7],
    ['none', endAddress('ipv4'), 'none', false],
    ['unnumbered', endAddress('ipv4'), 'unnumbered', true],
    ['DHCP', endAddress('ipv4'), 'dhcp', 'dhcp'],
    [
      'of the other family',
      endAddress('ipv4'),
      '2001:db8::7',
      expect.stringContaining('such as 10.1.0.1/24'),
    ],
    ['an MTU', wholeNumber(64, 9216), '1500', 1500],
    ['a small MTU', wholeNumber(64, 9216), '63', 'must be a whole number from 64 to 9216'],
    ['no number', wholeNumber(64, 9216), '1e3', expect.stringContaining('whole number')],
    ['an AS number', asNumber, '65001', 65_001],
    ['with a dot', asNumber, '1.10', '1.10'],
    ['too large', asNumber, '4294967296', expect.stringContaining('from 1 to 4294967295')],
    ['parts too large', asNumber, '1.65536', expect.stringContaining('whole number')],
    ['a word with spaces', word, 'a b', 'must not have spaces'],
    ['an interface of containerlab', interfaceName, 'r1:eth1', 'must not have spaces or colons'],
    ['lines', lines, 'a\n\n b ', ['a', 'b']],
  ])('are read: %s', (_, form, text, expected) => {
    expect(read(form, text)).toEqual(expected);
  });

  test('a map stays a map, with its other entries', () => {
    expect(read(linkPrefix, v4, { ipv6: v6, pool: 'lan' })).toEqual({ ipv4: v4, pool: 'lan' });
  });

  test.each<[TextForm, unknown, string | undefined]>([
    [linkPrefix, undefined, ''],
    [linkPrefix, v4, v4],
    [linkPrefix, { ipv4: v4, ipv6: v6 }, `${v4}, ${v6}`],
    [linkPrefix, { allocation: 'p2p' }, ''],
    [linkPrefix, { ipv4: true }, undefined],
    [linkPrefix, false, 'none'],
    [loopback, true, 'yes'],
    [endAddress('ipv4'), 5, '5'],
    [endAddress('ipv4'), true, 'unnumbered'],
    [word, { a: 1 }, undefined],
    [word, 'two\nlines', undefined],
    [lines, ['a', 'b'], 'a\nb'],
    [lines, 'a', 'a'],
    [lines, [{ a: 1 }], undefined],
  ])('show values', (form, value, text) => {
    expect(form.textOf(value)).toBe(text);
  });
});

describe('names', () => {
  const three = drawingOf([nodeOf('r1'), nodeOf('r2'), nodeOf('spine')]);

  test('the first free one is taken, of nodes and groups, and never too long', () => {
    expect(freeName('r', new Set(['r1', 'r3']))).toBe('r2');
    expect(freeName('a-name-of-16-chars', new Set(['a-name-of-16-ch1']))).toBe('a-name-of-16-ch2');
    expect(freeName('r', new Set(Array.from({ length: 9 }, (_, index) => `r${index + 1}`)))).toBe('r10');
    expect([...namesOfCopies(['r1', 'r2', 'spine'], three).values()]).toEqual(['r3', 'r4', 'spine1']);
  });

  test.each([
    ['frr', 'r3'],
    ['linux', 'h1'],
  ])('a new node with the device %s is %s', (device, name) => {
    expect(addNode(device, three)).toEqual({ kind: 'add-node', name, attributes: { device } });
  });

  test('a new node of containerlab has an image as nodes of its kind have', () => {
    const first = drawingOf([], 'containerlab');
    expect(addNode('linux', first).attributes).toEqual({ kind: 'linux', image: 'alpine:latest' });
    expect(addNode('bridge', first)).toMatchObject({ name: 'br1', attributes: { kind: 'bridge' } });
    const own = drawingOf([nodeOf('a', { kind: 'linux', image: 'mine' })], 'containerlab');
    expect(addNode('linux', own).attributes).toEqual({ kind: 'linux', image: 'mine' });
    const byKind = drawingOf([nodeOf('a', { kind: 'linux' })], 'containerlab');
    expect(addNode('linux', byKind).attributes).toEqual({ kind: 'linux' });
  });
});

describe('devices', () => {
  const cli = (name: string, more: object = {}) =>
    ({ name, isInstalled: true, runtime: null, ...more }) as ServiceInfo['labClis'][number];
  const template = (name: string, devices: string[], runnable = true) =>
    ({ cli: name, devices, runnable }) as unknown as TemplateList['templates'][number];
  const usualOf = (...parts: Parameters<typeof devicesFor>) =>
    devicesFor(...parts)
      .filter(({ isUsual }) => isUsual)
      .map(({ name }) => name);

  test('the language is that of netlab where it is installed', () => {
    expect(languageOf('netlab', [cli('engine')])).toBe('engine');
    expect(languageOf('netlab', [cli('engine'), cli('netlab')])).toBe('netlab');
    expect(languageOf('netlab', [cli('engine'), cli('netlab', { isInstalled: false })])).toBe('engine');
    expect(languageOf('containerlab', [cli('engine')])).toBe('containerlab');
  });

  test('the engine has three', () => {
    const names = devicesFor('engine', [cli('engine')], [template('engine', ['linux'])]);
    expect(names.map(({ name }) => name)).toEqual(['linux-router', 'linux', 'none']);
    expect(names[0]?.description).toBe('a Linux router');
  });

  test('netlab has all of its own; those of topologies that run here are among the usual', () => {
    const templates = [template('netlab', ['vyos', 'frr', 'ours']), template('netlab', ['sros'], false)];
    expect(usualOf('netlab', [cli('netlab')], templates)).toEqual(['frr', 'linux', 'ours', 'vyos']);
    const all = devicesFor('netlab', [cli('netlab')], templates).map(({ name }) => name);
    expect(all).toContain('sros');
    expect(all).not.toContain('linux-router');
    expect(new Set(all).size).toBe(all.length);
  });

  test('without Docker, netlab has those without an image of a vendor', () => {
    const bare = devicesFor('netlab', [cli('netlab', { runtime: 'namespaces' })], []);
    expect(bare.map(({ name }) => name)).toEqual(['frr', 'linux']);
  });

  test('containerlab has kinds', () => {
    const kinds = devicesFor('containerlab', [cli('containerlab')], [template('netlab', ['frr'])]);
    expect(kinds.map(({ name }) => name)).toContain('arista_ceos');
    expect(kinds.map(({ name }) => name)).not.toContain('frr');
  });
});

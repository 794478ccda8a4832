import { describe, expect, test } from '@jest/globals';
import type { LabTest } from '../../../../src/engine/core/lab.ts';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const nodes = 'nodes: [h1, h2]\n';

/** The test `t` that is written as `entry`. */
function testOf(entry: string, head = nodes): LabTest {
  const [first, ...others] = labOf(`${head}validate: {t: ${entry}}\n`).tests ?? [];
  expect(others).toEqual([]);
  return first!;
}

/** Nothing but the least that a test needs. */
const bare: LabTest = {
  name: 't',
  description: null,
  nodes: ['h1'],
  wait: null,
  waitMessage: null,
  pass: null,
  fail: null,
  plugin: "ping('h2')",
  exec: null,
  valid: null,
  hasAction: true,
  stopsOnError: false,
  isWarning: false,
};
const ping = `plugin: "ping('h2')"`;

describe('a test', () => {
  test.each<[string, Partial<LabTest>]>([
    [`{${ping}, nodes: h1}`, {}],
    [`{${ping}, nodes: [h2, h1]}`, { nodes: ['h2', 'h1'] }],
    [
      `{${ping}, nodes: h1, description: d, pass: p, fail: f, wait_msg: w}`,
      { description: 'd', pass: 'p', fail: 'f', waitMessage: 'w' },
    ],
    [`{${ping}, nodes: h1, level: warning, stop_on_error: true}`, { isWarning: true, stopsOnError: true }],
    [`{${ping}, nodes: h1, wait: 0}`, { wait: 0 }],
    [`{wait: 86400}`, { plugin: null, nodes: [], wait: 86_400, hasAction: false }],
    [`{wait: 3, nodes: [h1]}`, { plugin: null, wait: 3, hasAction: false }],
    [
      `{exec: ls, valid: "'a' in stdout", nodes: h1, devices: linux}`,
      { plugin: null, exec: 'ls', valid: "'a' in stdout" },
    ],
    [
      '{exec: {linux: ls, none: cat, eos: x}, valid: {none: b, eos: y}, nodes: h1}',
      { plugin: null, exec: 'ls', valid: 'b' },
    ],
    ['{exec: {linux-router: ls, none: cat}, nodes: h1}', { plugin: null, exec: 'ls' }],
    ['{exec: {eos: x}, nodes: h1}', { plugin: null, exec: null }],
    ['{exec: {linux: ls}, show: {eos: x}, nodes: h1}', { plugin: null, exec: 'ls' }],
  ])('%s', (entry, expected) => expect(testOf(entry)).toEqual({ ...bare, ...expected }));

  test('comes in the order of the file, and a lab without tests has none', () => {
    const lab = labOf(`${nodes}validate: {z: {wait: 1}, a: {wait: 2}}\n`);
    expect(lab.tests?.map(({ name }) => name)).toEqual(['z', 'a']);
    expect(labOf(`${nodes}validate:\n`)).not.toHaveProperty('tests');
    expect(labOf(nodes)).not.toHaveProperty('tests');
  });
});

describe('what is wrong with a test', () => {
  test.each<[string, string[]]>([
    ['7', ['2:11 validate must be a map from names to tests']],
    ['{t: 7}', ['2:12 validate.t must be a map']],
    ['{"a b": {wait: 1}}', ['2:12 the name of a test must begin with a letter']],
    ['{t: {}}', ['2:12 validate.t must have plugin, exec or wait', '2:12 validate.t must list the nodes']],
    [`{t: {${ping}}}`, ['2:12 validate.t must list the nodes that run it']],
    [
      `{t: {${ping}, nodes: h1, exec: {linux: ls}}}`,
      ['2:12 validate.t must have one action, not exec, plugin'],
    ],
    ['{t: {exec: ls, nodes: h1}}', ['2:22 validate.t must list the "devices" of its command, such as']],
    [`{t: {${ping}, nodes: [h1, h22]}}`, ['2:45 validate.t: there is no node h22; did you mean "h2"?']],
    [
      `{t: {${ping}, nodes: h1, valid: x}}`,
      ['2:49 validate.t has "valid", but no command whose output it could check'],
    ],
    [
      `{t: {wait: 1, nods: h1, xyzzy: 1}}`,
      [
        '2:25 unknown attribute "nods" of a test; did you mean "nodes"?',
        '2:35 unknown attribute "xyzzy" of a test',
      ],
    ],
    ['{t: {wait: soon}}', ['2:22 validate.t: defaults.const.validate has no time soon']],
    [
      '{t: {wait: -1}, u: {wait: 1.5}, v: {wait: 86401}}',
      [
        '2:22 validate.t.wait must be a number of seconds from 0 to 86400, or a name for one',
        '2:37 validate.u.wait must be a number of seconds from 0 to 86400, or a name for one',
        '2:53 validate.v.wait must be a number of seconds from 0 to 86400, or a name for one',
      ],
    ],
    [
      '{t: {wait: 1, pass: 7, nodes: 7, devices: 7, stop_on_error: 7, level: error}}',
      [
        '2:31 validate.t.pass must be text',
        '2:41 validate.t.nodes must be a list of nodes',
        '2:53 validate.t.devices must be a list of devices',
        '2:71 validate.t.stop_on_error must be true or false',
        '2:81 validate.t.level must be warning or absent',
      ],
    ],
    [
      '{t: {exec: 7, valid: [x], nodes: h1}}',
      [
        '2:22 validate.t.exec must be text, or a map from devices to texts',
        '2:32 validate.t.valid must be text, or a map from devices to texts',
      ],
    ],
  ])('%s', (validate, expected) => {
    const errors = errorsOf(`${nodes}validate: ${validate}\n`);
    expect(errors.map((error, index) => error.slice(0, expected[index]?.length))).toEqual(expected);
  });

  test.each(['-1', '1.5', 'x', '[1]'])('a time %s with a name is none', (time) => {
    const text = `${nodes}defaults.const.validate: {soon: ${time}}\nvalidate: {t: {wait: soon}}\n`;
    expect(errorsOf(text)).toEqual(['3:22 validate.t: defaults.const.validate has no time soon']);
  });
});

describe('what will be skipped is a warning', () => {
  test.each<[string, string[]]>([
    [`{${ping}, nodes: h1}`, []],
    [
      '{plugin: "bgp(h1)", nodes: h1}',
      ['2:24 validate.t is skipped: the bundled engine supports only the plugin ping()'],
    ],
    [
      '{plugin: ping, nodes: h1}',
      ['2:24 validate.t is skipped: the bundled engine supports only the plugin ping()'],
    ],
    ...['show', 'config', 'suzieq', 'ansible'].map((action): [string, string[]] => [
      `{nodes: h1, ${action}: {linux: x}}`,
      [`2:27 validate.t: the bundled engine does not support tests with "${action}"`],
    ]),
  ])('%s', (entry, warnings) => {
    expect(warningsOf(`${nodes}validate: {t: ${entry}}\n`)).toEqual(warnings);
    expect(testOf(entry).hasAction).toBe(true);
  });

  test('"valid" looks at what each of those that print something prints', () => {
    for (const action of ['show', 'suzieq', 'ansible'])
      expect(testOf(`{nodes: h1, ${action}: x, valid: y}`).valid).toBe('y');
    expect(errorsOf(`${nodes}validate: {t: {nodes: h1, config: x, valid: y}}\n`)).toHaveLength(1);
  });
});

import { describe, expect, test } from '@jest/globals';
import { parseJobRequest } from '../../../../src/jobs/model/job-request.ts';
import { actions } from '../../../../src/labs/model/actions.ts';
import { optionNames } from '../../../../src/labs/model/option-kinds.ts';
import { refusalOf } from '../../../support/refusal-of.ts';

describe('the action', () => {
  test.each([
    ['up', 'up'],
    ['UP', 'up'],
    [' Create ', 'create'],
    ['down', 'down'],
    ['collect', 'collect'],
    ['status', 'status'],
  ])('%j is %s', (given, action) => {
    expect(parseJobRequest({ action: given }).action).toBe(action);
  });

  test.each([['destroy'], ['up down']])('%j is unknown, and is shown', (action) => {
    const { message } = refusalOf({ action });
    expect(message).toBe(`action: unknown action "${action}": use one of ${actions.join(', ')}`);
  });

  test.each([[5], [['up']], [{ a: 1 }], [true], ['x'.repeat(5_000)]])('%j is unknown', (action) => {
    const { errors, message } = refusalOf({ action });
    expect(errors.map(({ field }) => field)).toEqual(['action']);
    expect(message).toContain(`use one of ${actions.join(', ')}`);
    // Whatever came in, the reply stays readable.
    expect(message.length).toBeLessThan(300);
  });
});

test.each([
  [{ action: ['up'] }, 'unknown action: use'],
  [{ action: {} }, 'unknown action: use'],
  [{ action: 5 }, 'unknown action 5: use'],
  // What is shown has forty characters at most, quotation marks included.
  [{ action: 'x'.repeat(38) }, `unknown action "${'x'.repeat(38)}": use`],
  [{ action: 'x'.repeat(39) }, 'unknown action: use'],
])('%j: only what is short is shown', (body, words) =>
  expect(refusalOf(body).errors[0]?.message.startsWith(words)).toBe(true),
);

test.each([[undefined], [null], ['up'], [5], [true], [[]], [[{ action: 'up' }]]])(
  'the body %j is no object',
  (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'invalid-request', errors: [{ field: 'body' }] });
  },
);

describe('absence', () => {
  const fields = [
    'workdir',
    'workspaceRoot',
    'topologyUrl',
    'topology',
    'topologyPath',
    'timeoutSeconds',
    'onConflict',
    'onCancel',
    'onFailure',
    'labels',
  ];

  test.each([...fields, ...optionNames])('null, "" and blanks mean that %s is not given', (field) => {
    const plain = parseJobRequest({ action: 'up' });
    for (const value of [null, '', ' \t'])
      expect(parseJobRequest({ action: 'up', [field]: value })).toEqual(plain);
  });

  test('gives the defaults', () => {
    expect(parseJobRequest({ action: 'up' })).toMatchObject({
      onConflict: 'queue',
      labels: {},
      warnings: [],
    });
  });
});

describe('onCancel', () => {
  test('is ignored with a warning for another action', () => {
    const { warnings, accepted } = parseJobRequest({ action: 'create', onCancel: 'down' });
    expect(warnings).toEqual(['option "onCancel" is ignored: it belongs to "up", "restart"']);
    expect(accepted).not.toHaveProperty('onCancel');
  });
});

describe('types', () => {
  test.each([
    ['workdir', ['/x']],
    ['workdir', 'a\0b'],
    ['workspaceRoot', true],
    ['topologyUrl', {}],
    ['topology', ['nodes']],
    ['topology', true],
    ['topologyPath', false],
    ['timeoutSeconds', -1],
    ['onConflict', true],
    ['onCancel', 'stop'],
    ['onCancel', true],
    ['labels', ['a']],
    ['device', 5],
    ['provider', {}],
    ['set', 'a=b'],
    ['set', { a: [1] }],
    ['set', { 'a=b': 1 }],
    ['multilabId', 0],
    ['noConfig', 'true'],
    ['noConfig', 1],
    ['reloadConfig', true],
    ['cleanup', 'yes'],
    ['dryRun', 0],
    ['instance', 1.5],
    ['instance', ['a']],
    ['instance', '../other'],
    ['collectOutput', 5],
    ['collectTar', {}],
    ['quiet', 'no'],
    ['verbose', 2],
  ])('%s: %j is refused by name', (field, value) => {
    const { code, message, errors } = refusalOf({ action: 'up', [field]: value });
    expect(code).toBe('invalid-request');
    expect(errors.map((error) => error.field.split('.')[0])).toContain(field);
    expect(message.startsWith(field)).toBe(true);
  });

  test.each([
    { field: 'workdir', value: 5, words: 'must be text' },
    { field: 'workdir', value: 'x'.repeat(4097), words: 'must be at most 4096 characters' },
    { field: 'topology', value: 5, words: 'must be YAML text or a JSON object' },
    { field: 'timeoutSeconds', value: '60', words: 'must be a number over 0' },
    { field: 'timeoutSeconds', value: 0, words: 'must be a number over 0' },
    { field: 'onConflict', value: 'wait', words: 'must be one of queue, reject' },
    { field: 'labels', value: 'a=b', words: 'must be an object, such as {"build":"7"}' },
    { field: 'labels', value: { a: 1 }, words: 'must be text' },
    { field: 'labels', value: { '': 'v' }, words: 'its name must not be empty' },
    { field: 'plugin', value: 5, words: 'must be a list' },
    { field: 'plugin', value: [5], words: 'must be text' },
    { field: 'plugin', value: Array.from({ length: 101 }, () => 'x'), words: 'must be at most 100 entries' },
    {
      field: 'set',
      value: { '-a': 1 },
      words: 'its name must not start with "-": it would be read as an option',
    },
    { field: 'set', value: { a: 'x\0' }, words: 'must not contain a NUL byte' },
    { field: 'set', value: { a: [] }, words: 'must be a string, a number or a boolean' },
    { field: 'multilabId', value: '5', words: 'must be a whole number from 1 to 200, or "auto"' },
    { field: 'multilabId', value: 1.5, words: 'must be a whole number from 1 to 200, or "auto"' },
    { field: 'multilabId', value: 201, words: 'must be a whole number from 1 to 200, or "auto"' },
    { field: 'dryRun', value: 'yes', words: 'must be true or false' },
    { field: 'instance', value: true, words: 'must be a string or a whole number' },
    {
      field: 'instance',
      value: -5,
      words: 'must not start with "-": it would be read as an option',
    },
  ])('$field: $value is told in words: $words', ({ field, value, words }) => {
    expect(refusalOf({ action: 'up', [field]: value }).errors.map(({ message }) => message)).toEqual([words]);
  });

  test('every wrong field is told at once', () => {
    const { errors, message } = refusalOf({ action: 'x', workdir: 1, timeoutSeconds: 'a' });
    expect(errors.map(({ field }) => field)).toEqual(['action', 'workdir', 'timeoutSeconds']);
    expect(message.split('; ')).toHaveLength(3);
  });

  test.each([
    [7, '7'],
    [0, '0'],
    ['7', '7'],
    ['lab-a', 'lab-a'],
  ])('the instance %j is the string %j', (given, instance) => {
    expect(parseJobRequest({ action: 'down', instance: given }).options.instance).toBe(instance);
  });
});

test.each(['set', 'topology', 'labels'])('%s with a key that JavaScript would lose is refused', (field) => {
  const given = JSON.parse('{"__proto__": "v", "a": "b"}') as object;
  const [error] = refusalOf({ action: 'up', [field]: given }).errors;
  expect(error).toMatchObject({ field, message: expect.stringContaining('must not be called "__proto__"') });
});

describe('labels', () => {
  test('there may be 32 of them', () => {
    const labels = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`label-${index}`, 'x']));
    expect(parseJobRequest({ action: 'up', labels }).labels).toEqual(labels);
    expect(refusalOf({ action: 'up', labels: { ...labels, more: 'x' } }).errors).toMatchObject([
      { field: 'labels' },
    ]);
  });

  test.each([
    ['a value that is null', { a: null }],
    ['a name too long', { ['x'.repeat(64)]: 'v' }],
    ['a name that no filter could name', { 'a=b': 'v' }],
    ['a value too long', { a: 'x'.repeat(256) }],
  ])('%s is refused', (_name, labels) => {
    expect(refusalOf({ action: 'up', labels }).errors[0]?.field).toMatch(/^labels/);
  });
});

describe('what was accepted', () => {
  test.each([['nodes: {}'], [{ nodes: {} }]])(
    'an inline topology such as %j is a file of its own',
    (topology) => {
      const request = parseJobRequest({ action: 'up', topology });
      expect(request.topology).toEqual(topology);
      expect(request.accepted['topology']).toBe('(kept as topology.yml beside the job record)');
    },
  );
});

describe('the length of a request', () => {
  const settings = (count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v'.repeat(length)]));

  test('many long settings together are refused, and the longest field is named', () => {
    const { code, errors } = refusalOf({
      action: 'up',
      plugin: ['p'.repeat(4_000)],
      set: settings(20, 4_000),
    });
    expect(code).toBe('invalid-request');
    expect(errors.map(({ field }) => field)).toEqual(['set']);
    expect(errors[0]?.message).toMatch(
      /^all fields but the topology may have 65536 bytes .* they have 84\d{3}$/,
    );
  });

  test('an inline topology does not count: it is a file of its own', () => {
    const topology = 'x'.repeat(500_000);
    expect(parseJobRequest({ action: 'up', topology, set: settings(15, 4_000) }).topology).toBe(topology);
  });
});

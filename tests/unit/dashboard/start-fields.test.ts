/** The form that starts a lab, made of the description of the API as it is. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { actions, belongsTo } from '../../../src/labs/model/actions.ts';
import { netlab } from '../../../src/labs/drivers/netlab/netlab.ts';
import { otherOptions } from '../../../src/labs/program/lab-cli.ts';
import { optionSchemas } from '../../../src/labs/model/options.ts';
import { fieldsOf, withLimits } from '../../../web/dashboard/src/pages/labs/start/fields.ts';

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Record<string, unknown>;

const namesOf = (action: string): string[] => {
  const { usual, more } = fieldsOf(description, action);
  return [...usual, ...more].map(({ name }) => name);
};

describe('the fields of an action', () => {
  test.each(actions)('%s: are the options that the service takes for it, and no other', (action) => {
    const options = Object.keys(optionSchemas) as (keyof typeof optionSchemas)[];
    const expected = options.filter((name) => belongsTo(name, action));
    expect(namesOf(action).filter((name) => name in optionSchemas)).toEqual(expect.arrayContaining(expected));
    expect(namesOf(action).filter((name) => options.includes(name as 'set')).length).toBe(expected.length);
  });

  test('up: the usual fields come first, and none occurs twice', () => {
    const { usual, more } = fieldsOf(description, 'up');
    expect(usual.map(({ name }) => name)).toEqual([
      'multilabId',
      'ttlSeconds',
      'labels',
      'onFailure',
      'onCancel',
    ]);
    for (const name of ['action', 'workdir', 'workspace', 'topology', 'topologyPath', 'instance'])
      expect(namesOf('up')).not.toContain(name);
    expect(more.map(({ name }) => name)).toContain('callbackUrl');
  });

  test('each has a control for its type, with the description of the service', () => {
    const { usual, more } = fieldsOf(description, 'up');
    const kinds = Object.fromEntries([...usual, ...more].map(({ name, control }) => [name, control]));
    expect(kinds).toMatchObject({
      multilabId: { kind: 'number', minimum: 1, maximum: 200, words: ['auto'] },
      ttlSeconds: { kind: 'duration' },
      onFailure: { kind: 'choice', choices: ['keep', 'down'] },
      labels: { kind: 'pairs' },
      plugin: { kind: 'list' },
      noConfig: { kind: 'switch' },
      device: { kind: 'text', maxLength: 4096 },
    });
    expect(more.find(({ name }) => name === 'reloadConfig')).toMatchObject({
      label: 'Reload config',
      help: 'A directory with collected configurations to start from (`--reload-config`).',
    });
  });

  test('no help sends a user of the page to the settings of the server', () => {
    const { usual, more } = fieldsOf(description, 'up');
    const limits = { defaultTtlSeconds: null, maxTtlSeconds: null };
    const helps = [...usual, ...more].map((field) => withLimits(field, limits).help);
    expect(helps.filter((help) => help.includes('LAB_API_'))).toEqual([]);
  });

  test('options that the lab CLI of the service does not know are left out', () => {
    const { usual, more } = fieldsOf(description, 'up', otherOptions(netlab)['up']);
    const names = [...usual, ...more].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['device', 'noConfig', 'multilabId']));
    expect(names).not.toContain('reconfigure');
  });

  test('the time to live has the limits of the server', () => {
    const ttl = fieldsOf(description, 'up').usual.find(({ name }) => name === 'ttlSeconds')!;
    expect(withLimits(ttl, { defaultTtlSeconds: 3600, maxTtlSeconds: 5400 })).toMatchObject({
      hint: 'default: 1 h',
      help: expect.stringMatching(/Default: 1 h; maximum: 1 h 30 min\.$/),
    });
    const free = withLimits(ttl, { defaultTtlSeconds: null, maxTtlSeconds: null });
    expect(free.help).toMatch(/Default: no end; maximum: none\.$/);
    expect(free.hint).toBeUndefined();
  });

  test('a document without jobs has no fields', () => {
    expect(fieldsOf({}, 'up')).toEqual({ usual: [], more: [] });
  });
});

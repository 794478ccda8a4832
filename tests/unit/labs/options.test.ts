import { describe, expect, test } from '@jest/globals';
import { actions } from '../../../src/labs/actions.ts';
import { belongsTo, buildArguments, cliOptions, optionNames } from '../../../src/labs/options.ts';
import type { CliOptionValues } from '../../../src/labs/options.ts';

const accepts = (name: keyof typeof cliOptions, given: unknown): boolean =>
  cliOptions[name].schema.safeParse(given).success;

describe('the arguments', () => {
  test.each<[string, Parameters<typeof buildArguments>, string[]]>([
    [
      'a topology comes first',
      ['up', { snapshot: true, device: 'frr' }, '/t.yml'],
      ['up', '/t.yml', '--device', 'frr', '--snapshot'],
    ],
    ['a flag that is false', ['up', { noConfig: false }], ['up']],
    [
      'flags',
      ['up', { noConfig: true, noTools: true, fastConfig: true, dryRun: true }],
      ['up', '--no-config', '--no-tools', '--fast-config', '--dry-run'],
    ],
    ['a list repeats its flag', ['up', { plugin: ['a', 'b'] }], ['up', '--plugin', 'a', '--plugin', 'b']],
    [
      'settings',
      ['up', { set: { 'defaults.device': 'frr', x: 1, y: false } }],
      ['up', '--set', 'defaults.device=frr', '--set', 'x=1', '--set', 'y=false'],
    ],
    [
      'a lab number',
      ['create', { multilabId: 3 }],
      ['create', '--plugin', 'multilab', '--set', 'defaults.multilab.id=3'],
    ],
    ['status of all', ['status', {}], ['status', '--all']],
    ['status of one', ['status', { instance: 'x' }], ['status', '--instance', 'x']],
    [
      'down',
      ['down', { cleanup: true, force: true, instance: 'x', verbose: true }],
      ['down', '--cleanup', '--force', '--instance', 'x', '-v'],
    ],
    [
      'collect runs in the directory instead',
      ['collect', { instance: 'x', collectOutput: 'o', collectCleanup: true }],
      ['collect', '--output', 'o', '--cleanup'],
    ],
    ['what belongs to another action', ['down', { device: 'frr', collectCleanup: true }], ['down']],
  ])('%s', (_what, given, expected) => {
    expect(buildArguments(...given)).toEqual(expected);
  });

  test('every option reaches the arguments of every action it belongs to', () => {
    const samples: Record<string, unknown> = {
      value: 'v',
      list: ['v'],
      settings: { k: 'v' },
      multilab: 1,
      flag: true,
    };
    for (const action of actions) {
      for (const name of optionNames.filter((option) => belongsTo(option, action))) {
        const options = { [name]: samples[cliOptions[name].kind] ?? 'v' } as CliOptionValues;
        const isLeftOut = action === 'collect' && name === 'instance';
        expect(buildArguments(action, options).includes(cliOptions[name].flag)).toBe(!isLeftOut);
      }
    }
  });
});

describe('what is accepted', () => {
  test.each([
    ['device', 'frr', true],
    ['device', '', false],
    ['device', '-x', false],
    ['device', 'a\0', false],
    ['device', 'x'.repeat(4097), false],
    ['device', 1, false],
    ['plugin', 'one', true],
    ['plugin', ['one', 'two'], true],
    ['plugin', ['-x'], false],
    ['plugin', Array.from({ length: 101 }, () => 'x'), false],
    ['set', { a: 'x', b: 1, c: true }, true],
    ['set', { a: '-1' }, true],
    ['set', { '-a': 'x' }, false],
    ['set', { 'a=b': 'x' }, false],
    ['set', { a: ['x'] }, false],
    ['set', { a: 'x\0' }, false],
    ['multilabId', 200, true],
    ['multilabId', 0, false],
    ['multilabId', 201, false],
    ['multilabId', 1.5, false],
    ['instance', 'x', true],
    ['instance', 7, true],
    ['instance', 'a/b', false],
    ['instance', '--all', false],
    ['instance', -1, false],
    ['noConfig', 'true', false],
    ['quiet', true, true],
  ] as const)('%s: %j %s', (name, given, expected) => {
    expect(accepts(name, given)).toBe(expected);
  });

  test('a number as an instance becomes text', () => {
    expect(cliOptions.instance.schema.parse(7)).toBe('7');
  });
});

import { describe, expect, test } from '@jest/globals';
import { actions, belongsTo } from '../../../../../src/labs/actions.ts';
import { buildArguments, flags } from '../../../../../src/labs/drivers/netlab/arguments.ts';
import { cliOptions, optionNames } from '../../../../../src/labs/options.ts';
import type { CliOptionValues } from '../../../../../src/labs/options.ts';

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
        expect(buildArguments(action, options).includes(flags[name])).toBe(!isLeftOut);
      }
    }
  });
});

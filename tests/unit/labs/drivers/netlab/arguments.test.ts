import { describe, expect, test } from '@jest/globals';
import { actions, belongsTo } from '../../../../../src/labs/actions.ts';
import { buildArguments, flags } from '../../../../../src/labs/drivers/netlab/arguments.ts';
import { cliOptions, optionNames } from '../../../../../src/labs/option-kinds.ts';
import type { CliOptionValues } from '../../../../../src/labs/options.ts';

describe('the arguments', () => {
  test.each<{ name: string; given: Parameters<typeof buildArguments>; expected: string[] }>([
    {
      name: 'a topology comes first',
      given: ['up', { snapshot: true, device: 'frr' }, '/t.yml'],
      expected: ['up', '/t.yml', '--device', 'frr', '--snapshot'],
    },
    { name: 'a flag that is false', given: ['up', { noConfig: false }], expected: ['up'] },
    {
      name: 'flags',
      given: ['up', { noConfig: true, noTools: true, fastConfig: true, dryRun: true }],
      expected: ['up', '--no-config', '--no-tools', '--fast-config', '--dry-run'],
    },
    {
      name: 'a list repeats its flag',
      given: ['up', { plugin: ['a', 'b'] }],
      expected: ['up', '--plugin', 'a', '--plugin', 'b'],
    },
    {
      name: 'settings',
      given: ['up', { set: { 'defaults.device': 'frr', x: 1, y: false } }],
      expected: ['up', '--set', 'defaults.device=frr', '--set', 'x=1', '--set', 'y=false'],
    },
    {
      name: 'a lab number',
      given: ['create', { multilabId: 3 }],
      expected: ['create', '--plugin', 'multilab', '--set', 'defaults.multilab.id=3'],
    },
    { name: 'status of all', given: ['status', {}], expected: ['status', '--all'] },
    { name: 'status of one', given: ['status', { instance: 'x' }], expected: ['status', '--instance', 'x'] },
    {
      name: 'down',
      given: ['down', { cleanup: true, force: true, instance: 'x', verbose: true }],
      expected: ['down', '--cleanup', '--force', '--instance', 'x', '-v'],
    },
    {
      name: 'collect runs in the directory instead',
      given: ['collect', { instance: 'x', collectOutput: 'o', collectCleanup: true }],
      expected: ['collect', '--output', 'o', '--cleanup'],
    },
    {
      name: 'what belongs to another action',
      given: ['down', { device: 'frr', collectCleanup: true }],
      expected: ['down'],
    },
  ])('$name', ({ given, expected }) => {
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

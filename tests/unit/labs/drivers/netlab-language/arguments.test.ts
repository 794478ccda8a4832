import { describe, expect, test } from '@jest/globals';
import { actions, belongsTo } from '../../../../../src/labs/model/actions.ts';
import {
  buildArguments,
  commandArguments,
  flags,
  netlabOptions,
} from '../../../../../src/labs/drivers/netlab-language/arguments.ts';
import { cliOptions, optionNames } from '../../../../../src/labs/model/option-kinds.ts';
import type { CliOptionValues } from '../../../../../src/labs/model/options.ts';

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
      name: 'the tests that are to be run, and the nodes with commas',
      given: [
        'validate',
        { nodes: ['h1', 'h2'], tests: ['ping', 'ospf.*'], skipWait: true, testSource: '/t.yml' },
      ],
      expected: ['validate', 'ping', 'ospf.*', '--node', 'h1,h2', '--skip-wait', '--source', '/t.yml'],
    },
    {
      name: 'a template',
      given: ['config', { template: 'motd', limit: 'r1,r2', instance: '7' }],
      expected: ['config', 'motd', '--instance', '7', '--limit', 'r1,r2'],
    },
    {
      name: 'a command behind --, each word as the shell in a node has to get it',
      given: ['exec', { nodes: ['r1', 'r2'], command: ['vtysh', '-c', 'show $x', '-i', "it's", 'a;b', ''] }],
      expected: [
        'exec',
        '--header',
        '--',
        'r1,r2',
        'vtysh',
        '-c',
        'show \\$x',
        '-i',
        "'it'\\''s'",
        "'a;b'",
        "''",
      ],
    },
    {
      name: 'a command that is not there yet',
      given: ['exec', {}],
      expected: ['exec', '--header', '--', ''],
    },
    { name: 'a template that is not there yet', given: ['config', {}], expected: ['config'] },
    { name: 'all tests', given: ['validate', {}], expected: ['validate'] },
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
      command: ['v'],
      settings: { k: 'v' },
      multilab: 1,
      flag: true,
    };
    for (const action of actions) {
      const own = optionNames.filter(
        (option) =>
          netlabOptions[action].includes(option) || (option === 'instance' && belongsTo(option, action)),
      );
      for (const name of own) {
        const options = { [name]: samples[cliOptions[name].kind] ?? 'v' } as CliOptionValues;
        const isLeftOut = action === 'collect' && name === 'instance';
        // What has no flag stands there itself, and `exec` names its nodes in their place.
        const flag =
          action === 'exec' && name === 'nodes' ? 'v' : ((flags as Record<string, string>)[name] ?? 'v');
        expect(buildArguments(action, options).includes(flag)).toBe(!isLeftOut);
      }
    }
  });
});

test.each<[string | undefined, CliOptionValues, readonly string[]]>([
  [undefined, {}, []],
  ['lab', {}, ['--set', 'name=lab']],
  ['lab', { set: { x: 1 } }, ['--set', 'name=lab', '--set', 'x=1']],
  ['lab', { set: { name: 'own' } }, ['--set', 'name=own']],
  [undefined, { set: { x: 1 } }, ['--set', 'x=1']],
])('a lab that is to be called %j, with %j', (labName, options, settings) => {
  const about = { topologyFile: '/t.yml', instance: null, labFile: undefined, isListed: false };
  expect(commandArguments({ action: 'up', options, labName, ...about })).toEqual([
    'up',
    '/t.yml',
    ...settings,
  ]);
});

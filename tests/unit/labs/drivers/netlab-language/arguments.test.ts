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
  test.each<[string, ...Parameters<typeof buildArguments>]>([
    // netlab would take a file behind `--snapshot` for its value.
    ['up /t.yml --device frr --snapshot', 'up', { snapshot: true, device: 'frr' }, '/t.yml'],
    ['up', 'up', { noConfig: false }],
    [
      'up --no-config --no-tools --fast-config --dry-run',
      'up',
      { noConfig: true, noTools: true, fastConfig: true, dryRun: true },
    ],
    ['up --plugin a --plugin b', 'up', { plugin: ['a', 'b'] }],
    [
      'up --set defaults.device=frr --set x=1 --set y=false',
      'up',
      { set: { 'defaults.device': 'frr', x: 1, y: false } },
    ],
    ['create --plugin multilab --set defaults.multilab.id=3', 'create', { multilabId: 3 }],
    ['status --all', 'status', {}],
    ['status --instance x', 'status', { instance: 'x' }],
    [
      'down --cleanup --force --instance x -v',
      'down',
      { cleanup: true, force: true, instance: 'x', verbose: true },
    ],
    // It runs in the directory of the lab instead.
    ['collect --output o --cleanup', 'collect', { instance: 'x', collectOutput: 'o', collectCleanup: true }],
    [
      'validate ping ospf.* --node h1,h2 --skip-wait --source /t.yml',
      'validate',
      { nodes: ['h1', 'h2'], tests: ['ping', 'ospf.*'], skipWait: true, testSource: '/t.yml' },
    ],
    ['validate', 'validate', {}],
    ['config motd --instance 7 --limit r1,r2', 'config', { template: 'motd', limit: 'r1,r2', instance: '7' }],
    ['config', 'config', {}],
    // Options of another action.
    ['down', 'down', { device: 'frr', collectCleanup: true }],
  ])('are %j for %s with %j', (expected, ...given) => {
    expect(buildArguments(...given)).toEqual(expected.split(' '));
  });

  test('have a command behind --, each word as the shell in a node has to get it', () => {
    const command = ['vtysh', '-c', 'show $x', '-i', "it's", 'a;b', ''];
    const words = ['vtysh', '-c', 'show \\$x', '-i', "'it'\\''s'", "'a;b'", "''"];
    expect(buildArguments('exec', { nodes: ['r1', 'r2'], command })).toEqual([
      'exec',
      '--header',
      '--',
      'r1,r2',
      ...words,
    ]);
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

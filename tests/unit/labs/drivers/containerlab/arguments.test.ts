import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { actions, belongsTo, type Action } from '../../../../../src/labs/model/actions.ts';
import {
  checkOptions,
  commandArguments,
  options,
  unsupported,
} from '../../../../../src/labs/drivers/containerlab/arguments.ts';
import type { LabCommand } from '../../../../../src/labs/drivers/lab-driver.ts';
import { cliOptions, type OptionName } from '../../../../../src/labs/model/option-kinds.ts';
import type { CliOptionValues } from '../../../../../src/labs/model/options.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const file = '/labs/demo/demo.clab.yml';

function command(action: Action, given: CliOptionValues = {}, rest: Partial<LabCommand> = {}) {
  const none = {
    topologyFile: undefined,
    labName: undefined,
    instance: null,
    labFile: undefined,
    isListed: true,
  };
  return commandArguments({ action, options: given, ...none, ...rest });
}

describe('the arguments', () => {
  const lab = { instance: 'demo' };
  const start = { ...lab, topologyFile: file };
  const ofFile = { ...lab, labFile: file };

  test.each<[string, ...Parameters<typeof command>]>([
    ['deploy --topo FILE --name demo', 'up', {}, start],
    ['deploy --topo FILE --name demo', 'up', { dryRun: false, reconfigure: false }, start],
    [
      'deploy --topo FILE --name demo --dry-run --reconfigure --node-filter r1,r2 --max-workers 3 --vars /v.yml',
      'up',
      { dryRun: true, reconfigure: true, nodeFilter: ['r1', 'r2'], maxWorkers: 3, vars: '/v.yml' },
      start,
    ],
    ['deploy --dry-run --topo FILE --name demo', 'create', {}, start],
    // `destroy` needs no force: it continues after errors.
    [
      'destroy --name demo --cleanup --graceful --keep-mgmt-net',
      'down',
      { cleanup: true, force: true, graceful: true, keepMgmtNet: true },
      lab,
    ],
    // Options of another action.
    ['destroy --name demo', 'down', { reconfigure: true, collectOutput: 'x', device: 'frr' }, lab],
    // By its name, as long as it is listed; what is left without containers, by its topology.
    ['destroy --name demo', 'down', {}, ofFile],
    ['destroy --topo FILE --name demo', 'down', {}, { ...ofFile, isListed: false }],
    ['redeploy --topo FILE --name demo --cleanup', 'restart', { cleanup: true }, ofFile],
    ['save --name demo --copy config', 'collect', {}, lab],
    [
      'save --name demo --node-filter r1 --log-level=warn --copy saved',
      'collect',
      { collectOutput: 'saved', nodeFilter: ['r1'], quiet: true },
      lab,
    ],
    ['inspect --name demo', 'status', {}, lab],
    ['inspect --all', 'status'],
    ['start --topo FILE --name demo --node h1,h2', 'start-nodes', { nodes: ['h1', 'h2', 'h1'] }, ofFile],
    ['restart --topo FILE --name demo --node h1', 'restart-nodes', { nodes: ['h1'] }, ofFile],
    [
      'stop --topo FILE --name demo --vars /v.yml --timeout 9s',
      'stop-nodes',
      { nodes: ['*'], vars: '/v.yml', nodeWaitSeconds: 9 },
      ofFile,
    ],
  ])('are %j for %s with %j', (expected, ...given) => {
    expect(command(...given)).toEqual(expected.replace('FILE', file).split(' '));
  });

  const samples = new Map<string, unknown>([
    ['flag', true],
    ['list', ['v']],
    ['command', ['v']],
  ]);
  const taken = actions.flatMap((action) => options[action].map((name) => [action, name] as const));

  // `destroy` has no `--force`, and goes on in spite of errors by itself.
  test.each(taken.filter(([, name]) => name !== 'force'))('%s: %s reaches them', (action, name) => {
    const value = samples.get(cliOptions[name].kind) ?? 'v';
    const words = command(action, { [name]: value }, { instance: 'demo' });
    expect(words).not.toEqual(command(action, {}, { instance: 'demo' }));
    expect(value === true || words.some((word) => ['v', 'vs', 'clab-node-name=v'].includes(word))).toBe(true);
  });

  test('every option that it takes belongs to the action, and no action that it has not takes any', () => {
    for (const [action, name] of taken)
      expect([action, name, belongsTo(name, action)]).toEqual([action, name, true]);
    for (const action of Object.keys(unsupported))
      expect(options[action as keyof typeof unsupported]).toEqual([]);
  });
});

describe('exec', () => {
  const exec = (words: string[]) =>
    command('exec', { nodes: ['r1'], command: words }, { instance: 'demo' }).at(-1);

  test('is about the nodes of this lab alone: by its name, containerlab would take those of all labs', () => {
    const labels = (node: string) =>
      command('exec', { nodes: [node], command: ['id'] }, { instance: 'demo' });
    const [one, all] = [labels('r1'), labels('*')];
    const ofLab = ['exec', '--name', 'demo', '--label', 'containerlab=demo'];
    const asJson = ['--format', 'json', '--cmd', 'id'];
    expect(one).toEqual([...ofLab, '--label', 'clab-node-name=r1', ...asJson]);
    expect(all).toEqual([...ofLab, ...asJson]);
  });

  // Taken apart again by quotes and backslashes; the integration test has the real containerlab do it.
  test.each([
    [['ping', '-c1', '10.0.0.1', '--x=a,b/c@d%e:f+g'], 'ping -c1 10.0.0.1 --x=a,b/c@d%e:f+g'],
    [['echo', 'a b', '', '#c', '*'], `echo 'a b' '' '#c' '*'`],
    [['echo', '$x', '`id`', '"', '\\', 'a\nb', '\t', 'é😀'], `echo '$x' '\`id\`' '"' '\\' 'a\nb' '\t' 'é😀'`],
    [['echo', "it's", "'", "''"], `echo 'it'"'"'s' ''"'"'' ''"'"''"'"''`],
  ])('%j is one argument, quoted word by word', (words, expected) => {
    expect(exec(words)).toBe(expected);
  });
});

describe('what containerlab must not be given', () => {
  const root = temporaryDirectory();
  const refused = async (given: CliOptionValues): Promise<OptionName | undefined> => {
    const { code, errors } = await failureOf(checkOptions(given, root));
    expect(code).toBe('invalid-request');
    return errors?.[0]?.field as OptionName | undefined;
  };

  test.each<[OptionName, CliOptionValues]>([
    ['nodeFilter', { nodeFilter: ['r1,r2'] }],
    ['nodeFilter', { nodeFilter: ['r1', 'r 2'] }],
    ['nodeFilter', { nodeFilter: ['r*'] }],
    ['nodeFilter', { nodeFilter: ['r1', ''] }],
    ['nodes', { nodes: ['r1', 'r2'], command: ['id'] }],
    ['nodes', { nodes: ['r*'] }],
    ['nodes', { nodes: ['*', 'h1'] }],
    ['nodes', { nodes: ['h1', '*'] }],
    ['nodes', { nodes: ['h 1'] }],
    ['nodes', { nodes: ['r1,clab-node-kind=linux'] }],
    ['nodes', { nodes: ['r1=x'] }],
    ['instance', { instance: 'demo,other', command: ['id'] }],
    ['collectOutput', { collectOutput: '../x' }],
    ['collectOutput', { collectOutput: '/etc' }],
    ['collectOutput', { collectOutput: '.' }],
    ['collectOutput', { collectOutput: 'out/x' }],
  ])('%s of %j', async (field, given) => {
    mkdirSync(path.join(root, 'in'), { recursive: true });
    if (given.collectOutput === 'out/x') symlinkSync('/etc', path.join(root, 'out'));
    expect(await refused(given)).toBe(field);
  });

  test.each<CliOptionValues>([
    {},
    { nodeFilter: ['r1', 'R-2.a_b'] },
    { nodes: ['*'] },
    { nodes: ['h1', 'r-2', 'a.b_c'] },
    { nodes: ['r1'], command: ['id'], instance: 'demo-1.x' },
    { cleanup: true },
    { collectOutput: 'in/saved' },
  ])('but %j', async (given) => {
    await checkOptions(given, root);
  });
});

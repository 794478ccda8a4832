import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { containerlab } from '../../../../../src/labs/drivers/containerlab/containerlab.ts';
import type { NodeAddress } from '../../../../../src/labs/drivers/node-driver.ts';
import type { Action } from '../../../../../src/labs/model/actions.ts';
import type { JobResult, NodeOutput } from '../../../../../src/labs/model/job-result.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';
import { printed } from '../../../../support/run-result.ts';

describe('what may be left of a lab', () => {
  const mayBe = (logEnd: string): boolean =>
    containerlab.mayHaveLeftLab(
      {},
      { action: 'up', directory: '/labs/demo', logEnd, isQuiet: false, beganMs: 0 },
    );

  const last = (text: string): string => `          \n   ERROR  \n          \n  ${text}\n\n`;
  const interrupted = '19:49:43 ERRO received signal "interrupt", canceling context\n';

  // A quiet containerlab does not report what it makes (the texts are from 0.79).
  test.each([
    [`${interrupted}${last('Could not list containers: context canceled.')}`, true],
    [interrupted, true],
    [last('This containerlab command requires root privileges or root via SUID to run.'), false],
    [last("Lab 'demo' not found - no running containers."), false],
  ])('by the quiet log %j: %s', (logEnd, expected) => {
    expect(mayBe(logEnd)).toBe(expected);
  });

  test.each(['up.log', 'up-again.log', 'down.log', 'errors/port-taken.log', 'errors/link-not-supported.log'])(
    'something by %s',
    (name) => {
      expect(mayBe(recorded(name))).toBe(true);
    },
  );

  test.each([
    'image-missing',
    'wrong-kind',
    'yaml',
    'yaml-redeploy',
    'unknown-field',
    'unknown-node',
    'no-permission',
    'no-docker',
    'unknown-lab',
  ])('nothing by errors/%s.log', (name) => {
    expect(mayBe(recorded(`errors/${name}.log`))).toBe(false);
  });

  test('nobody knows by a log that says nothing, or whose beginning is gone', () => {
    expect(mayBe('')).toBe(true);
    expect(mayBe('19:32:36 INFO something else\n')).toBe(true);
    expect(mayBe('19:32:35 INFO Containerlab started version=0.79.0\n')).toBe(true);
  });

  const of = (action: Action, logEnd: string, isQuiet = false): boolean =>
    containerlab.mayHaveLeftLab({}, { action, directory: '/labs/demo', logEnd, isQuiet, beganMs: null });
  const fault = '\n   ERROR  \n\n  Failed to read topology file: yaml: line 4: no.\n';

  test('of a file that cannot be read, nothing, but where it may have been read for the second time', () => {
    expect(of('up', fault)).toBe(false);
    expect(of('stop-nodes', fault)).toBe(false);
    expect(of('restart', `19:32:35 INFO Parsing & checking topology file=x${fault}`)).toBe(false);
    expect(of('restart', `19:32:35 INFO Destroying lab name=x${fault}`)).toBe(true);
    // One that is quiet does not say that it has destroyed.
    expect(of('restart', fault, true)).toBe(true);
    expect(of('restart', fault)).toBe(false);
    expect(of('restart', recorded('errors/yaml-redeploy.log'))).toBe(false);
  });

  test.each(['start-nodes', 'stop-nodes', 'restart-nodes'] as const)(
    'a node without its links, unless %s failed before it began',
    (action) => {
      expect(of(action, '')).toBe(true);
      expect(of(action, '22:01:24 INFO Parsing & checking topology file=blue.clab.yml\n')).toBe(true);
      expect(of(action, recorded('stop-interrupted.log'))).toBe(true);
      expect(of(action, recorded('stop-unknown-node.log'))).toBe(false);
    },
  );

  test('what a topology or a warning says of such a file is not the last word', () => {
    const said = '19:32:35 WARN Failed to read topology file: of something else\n';
    expect(of('stop-nodes', said)).toBe(true);
    expect(of('up', `${said}\n   ERROR  \n\n  failed to start r1.\n`)).toBe(true);
  });

  test('nothing, as long as it has only read the topology', () => {
    const begun = recorded('up.log').split('\n').slice(0, 2).join('\n');
    expect(mayBe(begun)).toBe(false);
    expect(mayBe(`${begun}\n19:32:35 \u001b[1mINFO\u001b[0m Creating container name=r2\n`)).toBe(true);
  });
});

describe('after exit code 0', () => {
  const claim = (
    changes: Partial<Parameters<(typeof containerlab.resultChecks)['lab-is-gone']>[0]> = {},
  ) => ({
    workdir: '/labs/demo',
    instance: 'demo',
    dryRun: false,
    ofSomeNodes: false,
    nodes: [],
    logEnd: '',
    instanceDirs: () => Promise.reject(new Error('not asked')),
    look: () => Promise.resolve(printed('clab-demo-r1\n')),
    ...changes,
  });
  const gone = containerlab.resultChecks['lab-is-gone'];

  test('down is not believed while there are containers, running or stopped', async () => {
    const look = async (...asked: [string, readonly string[]]) => {
      const list = ['ps', '--all', '--filter', 'label=containerlab=demo', '--format', '{{.Names}}'];
      expect(asked).toEqual(['docker', list]);
      return Promise.resolve(printed('clab-demo-r1\nclab-demo-r2\n'));
    };
    expect(await gone(claim({ look }))).toMatch(
      /the lab was not stopped: there are still the containers clab-demo-r1, clab-demo-r2;/,
    );
  });

  test.each([printed(''), printed('clab-demo-r1\n', { exitCode: 1 })])(
    'down is believed where Docker lists no container, or fails',
    async (result) => {
      expect(await gone(claim({ look: () => Promise.resolve(result) }))).toBeUndefined();
    },
  );

  test.each([{ dryRun: true }, { ofSomeNodes: true }, { instance: null }])(
    'unless it was to leave some: %j',
    async (how) => {
      expect(await gone(claim(how))).toBeUndefined();
    },
  );

  test('down is not believed when it broke off, though no container is left', async () => {
    const logEnd =
      '20:15:02 INFO Removed container name=clab-demo-n1\n20:15:02 ERRO Error occurred during the demo lab deletion: read-only file system\n';
    const look = () => Promise.reject(new Error('not asked'));
    expect(await gone(claim({ logEnd, look }))).toContain('was taken down: Error occurred');
  });

  test('collect is: it fails by itself where there is no lab', async () => {
    expect(await containerlab.resultChecks['lab-was-found'](claim())).toBeUndefined();
  });

  const outputs = (...codes: readonly (number | null)[]): JobResult => ({
    kind: 'outputs',
    complete: true,
    nodes: codes.map((exitCode, index): NodeOutput => ({
      node: `r${index}`,
      output: '',
      truncated: false,
      exitCode,
    })),
  });

  test.each([
    [[], undefined],
    [[0, 0], undefined],
    [[0, 3], 'in r1 the command ended with exit code 3'],
    [[1, null], 'in r0 the command ended with exit code 1; in r1 the command did not run to its end'],
  ])('exec with the codes %j: %p', (codes, doubt) => {
    expect(containerlab.doubt?.(outputs(...codes))).toBe(doubt);
  });

  test('what the node itself has printed does not count', () => {
    const output = 'Error response from daemon: Container 327c444ecb19 is not running';
    const doubt = (exitCode: number) =>
      containerlab.doubt?.({
        kind: 'outputs',
        complete: true,
        nodes: [{ node: 'r0', truncated: false, output, exitCode }],
      });
    expect([1, 0].map(doubt)).toEqual(['in r0 the command ended with exit code 1', undefined]);
  });

  test('exec in many nodes that are stopped or paused names some, and what to do', () => {
    const said = (what: string) => `Error response from daemon: Container 327c is ${what}`;
    const nodes = Array.from({ length: 14 }, (_, index) => ({
      node: `leaf${index}`,
      output: said(index < 12 ? 'not running' : 'paused, unpause the container before exec'),
      truncated: false,
      exitCode: null,
    }));
    expect(containerlab.doubt?.({ kind: 'outputs', complete: true, nodes })).toBe(
      'nothing was executed in leaf0, leaf1, leaf2, leaf3, leaf4, leaf5, leaf6, leaf7, leaf8, leaf9 and 2 more, which must run ' +
        'first: use "start-nodes"; nothing was executed in leaf12, leaf13, which Docker has paused: use "docker unpause"',
    );
  });

  test('a doubt is no novel', () => {
    expect(containerlab.doubt?.(outputs(...Array.from({ length: 1_000 }, () => 1)))?.length).toBe(500);
  });

  test('only 0 is a success', () => {
    expect([0, 1, 2].map((code) => containerlab.isSuccess('up', code))).toEqual([true, false, false]);
  });
});

test('what it has not is said', async () => {
  for (const ask of [() => containerlab.tests.list, () => containerlab.outputReaders.tests])
    expect(() => (ask() as () => unknown)()).toThrow(expect.objectContaining({ code: 'not-supported' }));
  expect(await containerlab.instancesToAvoid()).toEqual([]);
});

test('collect makes a directory for whoever asked for it', () => {
  expect(containerlab.files.madeBy('collect', {})).toEqual([{ kind: 'directory', path: 'config' }]);
  expect(containerlab.files.madeBy('collect', { collectOutput: 'x' })).toEqual([
    { kind: 'directory', path: 'x' },
  ]);
  expect(containerlab.files.madeBy('up', {})).toEqual([]);
});

test('a change is what Docker tells of a container, and not of a command in it', () => {
  const isChange = (event: Readonly<Record<string, string>>): boolean | undefined =>
    containerlab.watch?.isChange(JSON.stringify(event));
  expect(isChange({ type: 'container', action: 'start' })).toBe(true);
  expect(isChange({ type: 'container', action: 'exec_start: sh' })).toBe(false);
  expect(isChange({ type: 'interface', action: 'create' })).toBe(false);
  expect(isChange({ type: 'interface', action: 'exec_create' })).toBe(false);
  expect(containerlab.watch?.arguments).toEqual(['events', '--format', 'json']);
});

test('its state is in the home of its user', () => {
  expect(containerlab.stateDirectory?.({ HOME: '/home/alice' })).toBe('/home/alice/.clab');
  expect(containerlab.stateDirectory?.({ HOME: '' })).toBe(path.join(os.homedir(), '.clab'));
});

describe('a node', () => {
  const address = (entry: Record<string, unknown>): NodeAddress => ({
    cli: '/clab',
    lab: 'demo',
    node: 'r1',
    entry,
    isOtherUser: false,
  });
  const { inside, inNetwork, log, terminal } = containerlab.nodes;
  const enter = ['docker', 'exec', '--interactive'];

  test.each<[unknown, readonly string[]]>([
    ['linux', ['sh', '-c', 'command -v bash >/dev/null && exec bash -il; exec sh -il']],
    ['constructor', ['sh', '-c', expect.stringContaining('exec sh -il') as unknown as string]],
    ['nokia_srlinux', ['sr_cli']],
    ['srl', ['sr_cli']],
    ['ceos', ['Cli']],
    ['crpd', ['cli']],
  ])('of kind %p has a terminal in its container', async (kind, shell) => {
    const none = () => Promise.reject(new Error('no program is asked'));
    const node = address({ container: 'clab-demo-r1', kind });
    const wanted = { session: 'the-session', term: 'vt100', program: undefined };
    const { command, inside: way } = await terminal(node, wanted, none);
    expect(command.slice(-shell.length - 1)).toEqual(['clab-demo-r1', ...shell]);
    expect(command).toContain('LAB_NODE_SESSION=the-session');
    expect(command).toContain('TERM=vt100');
    const ofProgram = await terminal(node, { ...wanted, program: ['ls', '-l'] }, none);
    expect(ofProgram.command.slice(-3)).toEqual(['clab-demo-r1', 'ls', '-l']);
    expect(way).toEqual([...enter, 'clab-demo-r1']);
  });

  test.each([{}, { container: '' }, { container: 7 }])(
    'without a container has no way in: %j',
    async (entry) => {
      const node = address(entry);
      const error = expect.objectContaining({ code: 'not-supported', message: 'r1 is no container' });
      for (const ask of [inside, inNetwork]) expect(() => ask(node)).toThrow(error);
      expect(() => log(node, { follow: false, tail: undefined })).toThrow(error);
      const wanted = { session: 'x', term: 'vt100', program: undefined };
      await expect(terminal(node, wanted, () => Promise.resolve(''))).rejects.toEqual(error);
    },
  );
});

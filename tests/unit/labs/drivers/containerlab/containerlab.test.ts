import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { containerlab } from '../../../../../src/labs/drivers/containerlab/containerlab.ts';
import { driverOfSetting, driversWith, findLabCli } from '../../../../../src/labs/drivers/drivers.ts';
import type { JobResult, NodeOutput } from '../../../../../src/labs/model/job-result.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';
import { printed } from '../../../../support/run-result.ts';
import { writeProgram } from '../../../../support/programs.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

describe('the program', () => {
  const file = writeProgram(path.join(root, 'bin/containerlab'), 'echo');
  const env = { PATH: path.dirname(file) };

  test('is found by the name of the driver, and never by itself', () => {
    expect(findLabCli('containerlab', env)).toMatchObject({ file, driver: { name: 'containerlab' } });
    expect(findLabCli('auto', env)?.driver.name).not.toBe('containerlab');
    expect(findLabCli('containerlab', { PATH: '/nowhere' })).toBeUndefined();
  });

  test.each([
    ['/usr/bin/containerlab', 'containerlab'],
    ['/usr/bin/clab', 'containerlab'],
    ['/usr/bin/containerlab-old', 'netlab'],
  ])('%s speaks the language of %s', (program, name) => {
    expect(driverOfSetting(program).name).toBe(name);
  });

  test('its jobs keep the files of a lab in their directory, and ask nobody for a newer version', () => {
    expect(containerlab.jobEnvironment?.('/labs/demo')).toEqual({
      CLAB_LABDIR_BASE: '/labs/demo',
      CLAB_VERSION_CHECK: 'disable',
    });
  });

  test('what each lab CLI alone takes is known', () => {
    expect(driversWith('reconfigure', 'up').map(({ name }) => name)).toEqual(['containerlab']);
    expect(driversWith('plugin', 'up').map(({ name }) => name)).not.toContain('containerlab');
  });
});

describe('what may be left of a lab', () => {
  const mayBe = (logEnd: string): boolean =>
    containerlab.mayHaveLeftLab({}, { action: 'up', directory: '/labs/demo', logEnd, beganMs: 0 });

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

  const of = (action: 'restart' | 'stop-nodes' | 'up', logEnd: string): boolean =>
    containerlab.mayHaveLeftLab({}, { action, directory: '/labs/demo', logEnd, beganMs: null });
  const fault = '\n   ERROR  \n\n  Failed to read topology file: yaml: line 4: no.\n';

  test('of a file that cannot be read, nothing, but where it may have been read for the second time', () => {
    expect(of('up', fault)).toBe(false);
    expect(of('stop-nodes', fault)).toBe(false);
    expect(of('restart', `19:32:35 INFO Parsing & checking topology file=x${fault}`)).toBe(false);
    expect(of('restart', `19:32:35 INFO Destroying lab name=x${fault}`)).toBe(true);
    // One that is quiet does not say that it has destroyed.
    expect(of('restart', fault)).toBe(true);
  });

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

  test('down is not believed while there are containers', async () => {
    expect(await gone(claim())).toMatch(
      /the lab was not stopped: there are still the containers clab-demo-r1;/,
    );
    expect(await gone(claim({ look: () => Promise.resolve(printed('')) }))).toBeUndefined();
  });

  test.each([{ dryRun: true }, { ofSomeNodes: true }, { instance: null }])(
    'unless it was to leave some: %j',
    async (how) => {
      expect(await gone(claim(how))).toBeUndefined();
    },
  );

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

  test('exec in a node that is stopped says what to do; what the node itself has printed does not count', () => {
    const stopped = 'Error response from daemon: Container 327c444ecb19 is not running';
    const [node] = (outputs(null) as Extract<JobResult, { kind: 'outputs' }>).nodes;
    const doubt = (exitCode: number | null) =>
      containerlab.doubt?.({
        kind: 'outputs',
        complete: true,
        nodes: [{ ...node!, output: stopped, exitCode }],
      });
    expect(doubt(null)).toBe('nothing was executed in r0, which must run first: use "start-nodes"');
    expect(doubt(1)).toBe('in r0 the command ended with exit code 1');
    expect(doubt(0)).toBeUndefined();
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

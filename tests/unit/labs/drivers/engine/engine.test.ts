import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';
import type { LabCommand } from '../../../../../src/labs/drivers/lab-driver.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

describe('what an action that was ended may have left', () => {
  test.each<[string, string | undefined, boolean]>([
    ['a state with a lab there', '{"7": {"dir": "/labs/a"}, "8": {"dir": "/labs/b"}}', true],
    ['a state with labs elsewhere', '{"7": {"dir": "/labs/a/b"}}', false],
    ['no state', undefined, false],
    ['a damaged state', '{"7": {"dir"', true],
    ['a state of another shape', '{"7": null}', true],
  ])('the bundled engine, with %s', (name, state, expected) => {
    const home = path.join(root, name.replaceAll(' ', '-'));
    mkdirSync(home);
    if (state !== undefined) writeFileSync(path.join(home, 'status.json'), state);
    const run = { action: 'up', directory: '/labs/a', logEnd: '', isQuiet: false, beganMs: null } as const;
    expect(engine.mayHaveLeftLab({ LAB_HOME: home }, run)).toBe(expected);
  });
});

test('a lab that was there before the bundled engine was to start one is not of its making', () => {
  const home = path.join(root, 'before');
  mkdirSync(home);
  const log = ['2026-11-21T12:00:00.500000+00:00: starting lab', '2026-11-21T12:00:01.000000+00:00: started'];
  writeFileSync(path.join(home, 'status.json'), JSON.stringify({ 7: { dir: '/labs/a', log } }));
  const mayHaveLeft = (at: string | null): boolean =>
    engine.mayHaveLeftLab(
      { LAB_HOME: home },
      {
        action: 'up',
        directory: '/labs/a',
        logEnd: '',
        isQuiet: false,
        beganMs: at === null ? null : Date.parse(at),
      },
    );
  expect(mayHaveLeft('2026-11-21T12:00:00.501Z')).toBe(false);
  expect(mayHaveLeft('2026-11-21T12:00:00.500Z')).toBe(true);
  expect(mayHaveLeft(null)).toBe(true);
});

test.each([
  ['of the LAB_HOME that it is given', { LAB_HOME: '/state', HOME: '/home/alice' }, '/state/status.json'],
  ['of the HOME that it is given', { LAB_HOME: '', HOME: '/home/alice' }, '/home/alice/.lab/status.json'],
  ['of this user', { HOME: '' }, path.join(os.homedir(), '.lab/status.json')],
])('its state file is that %s', (_whose, env, expected) => {
  expect(engine.stateFile(env)).toBe(expected);
});

test('after down with exit code 0, a lab that its status lists is not gone', async () => {
  const workdir = path.join(root, 'lab');
  const verify = async (dirs: readonly string[], dryRun = false) =>
    engine.resultChecks['lab-is-gone']({
      workdir,
      instance: null,
      dryRun,
      ofSomeNodes: false,
      nodes: [],
      logEnd: '',
      instanceDirs: () => Promise.resolve(dirs),
      look: () => Promise.reject(new Error('it asks no program')),
    });
  expect(await verify([workdir])).toContain('the status still lists');
  expect(await verify([])).toBeUndefined();
  expect(await verify([workdir], true)).toBeUndefined();
});

test('who sent a request is told its field, not an option of the command line', () => {
  const logTail =
    'Fatal error in lab up: the lab instance default is already running in /labs/a: stop it there (lab down), or give this lab a multilab id of its own: --plugin multilab --set defaults.multilab.id=<number>\n';
  const said = engine.errorSentence({
    action: 'up',
    workdir: '/labs',
    cliName: 'lab',
    exitCode: 1,
    signal: null,
    logTail,
  });
  expect(said).toContain('is already running in /labs/a');
  expect(said).toMatch(/a multilab id of its own \("multilabId"\)$/);
});

describe('its nodes', () => {
  const address = { cli: '/lab', lab: '7', node: 'h1', entry: {}, isOtherUser: false };
  const connect = ['/lab', 'connect', '--instance', '7', 'h1'];

  test('are entered by its own program', async () => {
    expect(engine.nodes.inside(address)).toEqual([...connect, '--']);
    expect(engine.nodes.inNetwork(address)).toEqual([...connect, '--']);
    const look = () => Promise.reject(new Error('it asks nothing'));
    const wanted = { session: 'mark', term: 'vt100', program: undefined };
    expect(await engine.nodes.terminal(address, wanted, look)).toEqual({ command: connect, inside: [] });
    expect(await engine.nodes.terminal(address, { ...wanted, program: ['ls', '-l'] }, look)).toEqual({
      command: [...connect, '--', 'ls', '-l'],
      inside: [],
    });
  });

  test('have no log', () => {
    expect(() => engine.nodes.log(address, { follow: false, tail: 1 })).toThrow(
      expect.objectContaining({ code: 'not-supported', message: expect.stringContaining('h1') }),
    );
  });
});

test('it takes words as they are, for there is no shell in between, and needs no program for a topology', () => {
  const command: LabCommand = {
    action: 'exec',
    options: { nodes: ['h1'], command: ['echo', 'a b'] },
    topologyFile: undefined,
    labName: undefined,
    instance: null,
    labFile: undefined,
    isListed: false,
  };
  expect(engine.commandArguments(command).at(-1)).toBe('a b');
  const summary = engine.topologies.summarize({ provider: 'clab', nodes: ['a'] });
  expect(engine.topologies.missing(summary, () => false)).toEqual([]);
  expect(summary).toMatchObject({ nodes: 1, unsupported: [] });
});

test('its labs are those of its own state', () => {
  const home = path.join(root, 'records');
  mkdirSync(home);
  writeFileSync(path.join(home, 'status.json'), '{"7": {"dir": "/labs/a"}}');
  expect([...(engine.files.recordedLabs?.({ LAB_HOME: home }) ?? [])]).toEqual([['7', { dir: '/labs/a' }]]);
  expect(engine.stateDirectory({ LAB_HOME: home })).toBe(home);
});

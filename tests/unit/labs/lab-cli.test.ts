import { describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  findLabCli,
  labCliEnvironment,
  labCliVersion,
  labStateFile,
  mayHaveLeftLab,
} from '../../../src/labs/lab-cli.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const systemPath = '/usr/bin:/bin';

function program(name: string, script: string): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const netlab = program('venv/netlab', 'echo "netlab version 26.10"');
program('first/not-a-program', '');
chmodSync(path.join(root, 'first/not-a-program'), 0o644);
mkdirSync(path.join(root, 'first/netlab'));
mkdirSync(path.join(root, 'links'));
symlinkSync(netlab, path.join(root, 'links/netlab'));
const searchPath = [
  'relative',
  path.join(root, 'missing'),
  path.join(root, 'first'),
  path.join(root, 'links'),
].join(':');

describe('which program', () => {
  test.each(['auto', 'netlab'])(
    '%s is looked up on PATH, and links are followed for its neighbours',
    (setting) => {
      expect(findLabCli(setting, { PATH: searchPath })).toEqual({
        name: 'netlab',
        file: path.join(root, 'links/netlab'),
        binDirs: [path.join(root, 'links'), path.join(root, 'venv')],
      });
    },
  );

  test('a path', () => {
    expect(findLabCli(netlab, {})).toEqual({
      name: 'netlab',
      file: netlab,
      binDirs: [path.join(root, 'venv')],
    });
  });

  test.each(['no-such-program', '/no/such/program', 'not-a-program', '~/no-such-program'])(
    '%s is not there',
    (setting) => {
      expect(findLabCli(setting, { PATH: searchPath })).toBeUndefined();
    },
  );

  test('a directory is no program', () => {
    expect(findLabCli(path.join(root, 'first/netlab'), {})).toBeUndefined();
  });
});

describe('its environment', () => {
  const cli = { name: 'netlab', file: netlab, binDirs: ['/a', '/b'] };

  test('has nothing of the service', () => {
    const env = labCliEnvironment(cli, {
      LAB_API_PASSWORD: 'secret',
      LAB_JOB_ID: 'job',
      NETLAB_DEVICE: 'frr',
      NOTHING: undefined,
      PATH: systemPath,
    });
    expect(env).toEqual({
      COLUMNS: '200',
      NETLAB_DEVICE: 'frr',
      PYTHONUNBUFFERED: '1',
      PATH: `/a:/b:${systemPath}`,
    });
  });

  test.each([
    ['state', path.resolve('state')],
    ['~/state', path.join(os.homedir(), 'state')],
    ['/state', '/state'],
  ])('has LAB_HOME=%s from the root: jobs run in other directories', (given, expected) => {
    expect(labCliEnvironment(cli, { LAB_HOME: given })['LAB_HOME']).toBe(expected);
  });

  test('keeps a width that is set', () => {
    expect(labCliEnvironment(cli, { COLUMNS: '80' })['COLUMNS']).toBe('80');
  });

  test('has a PATH in any case', () => {
    expect(labCliEnvironment(cli, {})['PATH']).toMatch(/^\/a:\/b:.*\/usr\/bin/);
  });
});

test.each([
  {
    name: 'of the HOME that it is given',
    env: { HOME: '/home/alice' },
    expected: '/home/alice/.netlab/status.yaml',
  },
  { name: 'of this user', env: {}, expected: path.join(os.homedir(), '.netlab/status.yaml') },
])("the state file is netlab's, in the home directory $name", ({ env, expected }) => {
  expect(labStateFile({ name: 'netlab', file: netlab, binDirs: [] }, env)).toBe(expected);
});

describe('what an action that was ended may have left', () => {
  const engine = { name: 'lab', file: path.resolve('src/engine/main.js'), binDirs: [] };

  test.each([
    {
      name: 'a state with a lab there',
      state: '{"7": {"dir": "/labs/a"}, "8": {"dir": "/labs/b"}}',
      expected: true,
    },
    { name: 'a state with labs elsewhere', state: '{"7": {"dir": "/labs/a/b"}}', expected: false },
    { name: 'an empty state', state: '{}', expected: false },
    { name: 'no state', state: undefined, expected: false },
    { name: 'a damaged state', state: '{"7": {"dir"', expected: true },
    { name: 'a state of another shape', state: '{"7": null}', expected: true },
  ])('the bundled engine, with $name', ({ name, state, expected }) => {
    const home = path.join(root, name.replaceAll(' ', '-'));
    mkdirSync(home);
    if (state !== undefined) writeFileSync(path.join(home, 'status.json'), state);
    expect(mayHaveLeftLab(engine, { LAB_HOME: home }, '/labs/a')).toBe(expected);
  });

  test('netlab undoes nothing', () => {
    expect(mayHaveLeftLab({ ...engine, file: netlab }, { HOME: root }, '/labs/a')).toBe(true);
  });
});

test.each([
  ['echo "netlab version 26.10"', '26.10'],
  ['echo v1.2.3-rc1', '1.2.3-rc1'],
  ['echo none', undefined],
  ['echo 1.2; exit 1', undefined],
])('version of %j', async (script, expected) => {
  const file = program('version/cli', script);
  expect(await labCliVersion({ name: 'cli', file, binDirs: [] }, { PATH: systemPath })).toBe(expected);
});

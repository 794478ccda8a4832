import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { labCliEnvironment, labCliVersion, requireLabCli } from '../../../../src/labs/program/lab-cli.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const systemPath = '/usr/bin:/bin';

test('without one, it is said when to ask again', () => {
  const cli = { name: 'netlab', file: '/a/netlab', binDirs: [], driver: netlab };
  expect(requireLabCli(cli, 'auto')).toBe(cli);
  expect(() => requireLabCli(undefined, 'auto')).toThrow(
    expect.objectContaining({ code: 'lab-cli-missing', retryAfterSeconds: 60 }),
  );
  expect(() => requireLabCli(undefined, 'auto')).toThrow('install netlab, or set LAB_API_CLI');
  expect(() => requireLabCli(undefined, '/opt/clab')).toThrow('"/opt/clab" is not on this server, or cannot');
});

describe('its environment', () => {
  const cli = { name: 'netlab', file: '/a/netlab', binDirs: ['/a', '/b'] };

  test('has nothing of the service, and not what is not there', () => {
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
    // `undefined` as a value would become a text in the environment of a process.
    expect(Object.keys(env).toSorted()).toEqual(['COLUMNS', 'NETLAB_DEVICE', 'PATH', 'PYTHONUNBUFFERED']);
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

  test.each([
    ['leaves the order of what is there alone', '/usr/bin:/b/:/a', '/usr/bin:/b/:/a'],
    ['gets only the directory that is missing', '/usr/bin:/a', '/b:/usr/bin:/a'],
    ['does not take a longer name for the directory', '/a/b:/bin', '/a:/b:/a/b:/bin'],
  ])('its PATH %s', (_what, given, expected) => {
    expect(labCliEnvironment(cli, { PATH: given })['PATH']).toBe(expected);
  });

  test('its PATH begins with the interpreter that has to run it', () => {
    const program = { binDirs: [], interpreterDir: '/node' };
    expect(labCliEnvironment(program, { PATH: '/bin:/node' })['PATH']).toBe('/node:/bin:/node');
  });

  test('has a PATH in any case', () => {
    expect(labCliEnvironment(cli, {})['PATH']).toMatch(/^\/a:\/b:.*\/usr\/bin/);
  });
});

test.each([
  ['echo "netlab version 26.10"', '26.10'],
  ['echo v1.2.3-rc1', '1.2.3-rc1'],
  ['echo none', undefined],
  ['echo 1.2; exit 1', undefined],
])('version of %j', async (script, expected) => {
  const file = writeProgram(path.join(root, 'version/cli'), script);
  const cli = { name: 'cli', file, binDirs: [], driver: netlab };
  expect(await labCliVersion(cli, { PATH: systemPath })).toBe(expected);
});

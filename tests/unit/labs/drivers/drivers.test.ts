import { describe, expect, test } from '@jest/globals';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as drivers from '../../../../src/labs/drivers/drivers.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

const netlab = writeProgram(path.join(root, 'venv/netlab'), 'echo "netlab version 26.10"');
writeProgram(path.join(root, 'first/not-a-program'), '');
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

/** The program alone. */
function findLabCli(...[setting, env]: Parameters<typeof drivers.findLabCli>) {
  const { driver: _driver, ...program } = drivers.findLabCli(setting, env) ?? { driver: undefined };
  return Object.keys(program).length === 0 ? undefined : program;
}

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

  test('one that is uninstalled meanwhile is not there', () => {
    const gone = writeProgram(path.join(root, 'gone/netlab'), '');
    // The kernel still finds a removed file by its descriptor, but no path leads there any more.
    const fd = openSync(gone, 'r');
    const link = path.join(root, 'gone/link');
    symlinkSync(`/proc/self/fd/${fd}`, link);
    rmSync(gone);
    try {
      expect(findLabCli(link, {})).toBeUndefined();
    } finally {
      closeSync(fd);
    }
  });

  test('a directory is no program', () => {
    expect(findLabCli(path.join(root, 'first/netlab'), {})).toBeUndefined();
  });
});

describe('which driver', () => {
  const engine = path.resolve('dist/engine/main.js');

  test.each([
    ['auto', 'netlab'],
    ['netlab', 'netlab'],
    [netlab, 'netlab'],
    [writeProgram(path.join(root, 'venv/another'), ''), 'netlab'],
  ])('%s speaks the language of %s', (setting, name) => {
    expect(drivers.findLabCli(setting, { PATH: searchPath })?.driver.name).toBe(name);
  });

  test('the bundled engine is known by its path', () => {
    expect(drivers.driverOfSetting(engine).name).toBe('engine');
    expect(drivers.driverOfSetting(netlab).name).toBe('netlab');
  });
});

import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as drivers from '../../../../src/labs/drivers/drivers.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

const netlab = writeProgram(path.join(root, 'venv/netlab'), 'echo "netlab version 26.10"');
mkdirSync(path.join(root, 'links'));
symlinkSync(netlab, path.join(root, 'links/netlab'));
const searchPath = path.join(root, 'links');

describe('which driver', () => {
  const engine = path.resolve('dist/engine/main.js');

  test.each([
    ['auto', 'netlab'],
    ['netlab', 'netlab'],
    [netlab, 'netlab'],
    [writeProgram(path.join(root, 'venv/another'), ''), 'netlab'],
    [writeProgram(path.join(root, 'venv/containerlab-old'), ''), 'netlab'],
    [writeProgram(path.join(root, 'venv/clab'), ''), 'containerlab'],
  ])('%s speaks the language of %s', (setting, name) => {
    expect(drivers.findLabCli(setting, { PATH: searchPath })?.driver.name).toBe(name);
  });

  test('one that is named is looked for, and no other', () => {
    expect(drivers.findLabCli('containerlab', { PATH: searchPath })).toBeUndefined();
    const containerlab = writeProgram(path.join(root, 'clab/containerlab'), '');
    const { driver, file } = drivers.findLabCli('containerlab', { PATH: path.dirname(containerlab) }) ?? {};
    expect([driver?.name, file]).toEqual(['containerlab', containerlab]);
    // It starts real labs: nobody gets it by chance.
    expect(drivers.findLabCli('auto', { PATH: path.dirname(containerlab) })?.driver.name).not.toBe(
      'containerlab',
    );
    expect(drivers.driverOfSetting('engine').name).toBe('engine');
    expect(drivers.driverOfSetting('/some/program').name).toBe('netlab');
    expect(drivers.driverNames).toEqual(['netlab', 'engine', 'containerlab']);
  });

  test.each([
    [['any-program'], undefined],
    [['netlab', 'containerlab', '/a/containerlab-2/lab'], /^"netlab" and "\/a\/.*" are both "netlab"/],
    [['netlab', '/a/containerlab', 'engine'], undefined],
    [
      ['engine', 'netlab', 'any-program'],
      /^"any-program" is no lab CLI: use netlab, engine, containerlab, or/,
    ],
    [['engine', 'engine'], /^"engine" and "engine" are both "engine" to requests/],
    [['engine', 'netlab', '/a/netlab'], /^"netlab" and "\/a\/netlab" are both "netlab"/],
  ])('of a list like %j, it is said what is wrong with it', (settings, words) => {
    const problem = drivers.problemOfClis(settings);
    if (words === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(words);
  });

  test('an option is that of some of them, and "instance" of all', () => {
    const those = (...asked: Parameters<typeof drivers.driversWith>) =>
      drivers.driversWith(...asked).map(({ name }) => name);
    expect(those('device', 'up')).toEqual(['netlab', 'engine']);
    expect(those('graceful', 'down')).toEqual(['containerlab']);
    expect(those('instance', 'down')).toEqual(drivers.driverNames);
  });

  test('the bundled engine is known by its path', () => {
    expect(drivers.driverOfSetting(engine).name).toBe('engine');
    expect(drivers.driverOfSetting(netlab).name).toBe('netlab');
  });
});

import { expect, test } from '@jest/globals';
import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { findProgram, isProgram } from '../../../../src/labs/drivers/find-program.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const at = (name: string): string => path.join(root, name);

const program = writeProgram(at('one/tool'), '');
writeProgram(at('two/tool'), '');
chmodSync(writeProgram(at('plain/tool'), ''), 0o644);
mkdirSync(at('directory/tool'), { recursive: true });
mkdirSync(at('links'));
symlinkSync('../one/tool', at('links/tool'));
symlinkSync('gone', at('links/dangling'));

test.each([
  ['one/tool', true],
  ['links/tool', true],
  ['plain/tool', false],
  ['directory/tool', false],
  ['links/dangling', false],
  ['gone', false],
])('%s can be run: %s', (name, expected) => {
  expect(isProgram(at(name))).toBe(expected);
});

test('a name is looked up on PATH: the first that can be run, in no directory that depends on where one is', () => {
  const found = (...directories: readonly string[]) =>
    findProgram('tool', { PATH: directories.join(':') })?.file;
  expect(found(at('gone'), at('plain'), at('directory'), at('two'), at('one'))).toBe(at('two/tool'));
  expect(found('', '.', path.relative('.', at('one')))).toBeUndefined();
  expect(found(at('plain'))).toBeUndefined();
});

test('without a PATH, the usual directories are looked into; with an empty one, none', () => {
  expect(findProgram('sh', {})?.file).toMatch(/\/bin\/sh$/);
  expect(findProgram('sh', { PATH: '' })).toBeUndefined();
});

test('a path is taken as it is, whatever PATH says', () => {
  expect(findProgram(program, { PATH: at('two') })).toEqual({
    name: 'tool',
    file: program,
    binDirs: [at('one')],
  });
  expect(findProgram(path.relative('.', program), {})?.file).toBe(program);
  expect(findProgram(at('plain/tool'), {})).toBeUndefined();
});

test('behind a link, what is beside the program is found, too', () => {
  expect(findProgram('tool', { PATH: at('links') })).toEqual({
    name: 'tool',
    file: at('links/tool'),
    binDirs: [at('links'), at('one')],
  });
});

test('one that is uninstalled meanwhile is not there', () => {
  const gone = writeProgram(at('removed/tool'), '');
  // The kernel still finds a removed file by its descriptor, but no path leads there any more.
  const fd = openSync(gone, 'r');
  const link = at('removed/link');
  symlinkSync(`/proc/self/fd/${fd}`, link);
  rmSync(gone);
  try {
    expect(findProgram(link, {})).toBeUndefined();
  } finally {
    closeSync(fd);
  }
});

/** `npm run build` under a running service: the program is there all the time, and a build that fails leaves it alone. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copiedFiles } from '../../scripts/lib/copied-files.mjs';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();

/** A repository whose compiler writes a program that holds what there was of the program while it was compiled. */
function repository(name: string, compilerEnd: string): string {
  const directory = path.join(root, name);
  mkdirSync(path.join(directory, 'node_modules/.bin'), { recursive: true });
  mkdirSync(path.join(directory, 'dist/engine'), { recursive: true });
  const build = ['scripts/build.mjs', 'scripts/lib/copied-files.mjs', 'scripts/lib/options.mjs'];
  for (const file of ['package.json', ...build, ...Object.values(copiedFiles).flat()])
    cpSync(file, path.join(directory, file));
  for (const file of ['dist/main.js', 'dist/engine/main.js', 'dist/removed.js'])
    writeFileSync(path.join(directory, file), 'old');
  const compiler = path.join(directory, 'node_modules/.bin/tsc');
  writeFileSync(
    compiler,
    `#!/bin/sh
for out; do :; done
mkdir -p "$out/engine"
echo "compiled beside $(cat dist/main.js)" > "$out/main.js"
cp "$out/main.js" "$out/engine/main.js"
${compilerEnd}
`,
  );
  chmodSync(compiler, 0o755);
  return directory;
}

/** What is in such a repository, with its program. */
const whatIsThere = ['dist', 'node_modules', 'package.json', 'scripts', 'src', 'web'];

const build = (directory: string) => spawnSync('npm', ['run', 'build'], { cwd: directory, encoding: 'utf8' });
const programIn = (directory: string) => readFileSync(path.join(directory, 'dist/main.js'), 'utf8').trim();

test('a build replaces the program as a whole, once it is compiled', () => {
  const directory = repository('good', '');
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(programIn(directory)).toBe('compiled beside old');
  expect(readdirSync(directory).toSorted()).toEqual(whatIsThere);
  expect(readdirSync(path.join(directory, 'dist')).toSorted()).toEqual([
    'engine',
    'http',
    'main.js',
    'reference',
  ]);
  for (const file of ['main.js', 'engine/main.js'])
    expect(statSync(path.join(directory, 'dist', file)).mode & 0o111).toBe(0o111);
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(programIn(directory)).toBe('compiled beside compiled beside old');
});

test('a build that fails leaves the program that there was, and does not stand in the way of the next', () => {
  const directory = repository('bad', '[ -e works ]');
  expect(build(directory).status).not.toBe(0);
  expect(programIn(directory)).toBe('old');
  writeFileSync(path.join(directory, 'works'), '');
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(programIn(directory)).toBe('compiled beside old');
  expect(readdirSync(directory).toSorted()).toEqual([...whatIsThere, 'works']);
});

test('the build of the tests replaces file by file: nothing of the program is ever missing, and type errors are told', () => {
  const directory = repository('tests', 'echo "a type error"; exit 2');
  const { status, stdout } = spawnSync('node', ['scripts/build.mjs', '--file-by-file'], {
    cwd: directory,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'a type error\n' });
  expect(programIn(directory)).toBe('compiled beside old');
  expect(readdirSync(path.join(directory, 'dist')).toSorted()).toEqual([
    'engine',
    'http',
    'main.js',
    'reference',
    'removed.js',
  ]);
  expect(readdirSync(directory).toSorted()).toEqual(whatIsThere);
});

test('a build removes what one that was killed has left, and not what belongs to another that goes on', () => {
  const directory = repository('leftovers', '');
  const { pid } = spawnSync('true');
  for (const name of [`dist.new.${pid}`, `dist.old.${pid}`, `dist.new.${process.pid}`])
    mkdirSync(path.join(directory, name));
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(readdirSync(directory).filter((name) => name.startsWith('dist.'))).toEqual([
    `dist.new.${process.pid}`,
  ]);
});

/** `npm run build` under a running service: the program is there all the time, and a build that fails leaves it alone. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { compressedFiles, copiedFiles } from '../../scripts/lib/copied-files.mjs';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();

/** Of a build long ago. */
const oldChunk = 'dist/chunks/old.js';

/** A repository with a small program, whose compiler notes what there was of the program while it was compiled. */
function repository(name: string, compilerEnd: string): string {
  const directory = path.join(root, name);
  for (const place of ['node_modules/.bin', 'dist/chunks'])
    mkdirSync(path.join(directory, place), { recursive: true });
  const lib = ['bundle', 'copied-files', 'freshness', 'options', 'page', 'sbom'].map(
    (module) => `scripts/lib/${module}.mjs`,
  );
  for (const file of [
    'package.json',
    'scripts/build.mjs',
    ...lib,
    ...[copiedFiles, compressedFiles].flatMap((each) => Object.values(each).flat()),
  ])
    cpSync(file, path.join(directory, file));
  // The types of the client come from a description of the API that is not here.
  writeFileSync(path.join(directory, 'scripts/client-types.mjs'), '');
  // As small as a page can be; how the real one is built is for its own tests.
  mkdirSync(path.join(directory, 'web/dashboard'), { recursive: true });
  writeFileSync(path.join(directory, 'web/dashboard/index.html'), '<title>page</title>');
  writeFileSync(path.join(directory, 'web/dashboard/unused.ts'), '');
  writeFileSync(
    path.join(directory, 'web/dashboard/vite.config.mjs'),
    "export default { root: import.meta.dirname, logLevel: 'silent' };",
  );
  const packages = ['esbuild', '@esbuild', 'vite', '@cyclonedx', 'packageurl-js', 'spdx-expression-parse'];
  for (const each of packages)
    symlinkSync(path.resolve('node_modules', each), path.join(directory, 'node_modules', each));
  cpSync(
    'node_modules/swagger-ui-dist/package.json',
    path.join(directory, 'node_modules/swagger-ui-dist/package.json'),
  );
  const threads = [
    'labs/nodes/dialer-program',
    'labs/picture/layout-worker',
    'labs/templates/template-worker',
    'labs/drivers/foreign-worker',
    'access/passwords/bcrypt-worker',
  ];
  for (const entry of ['engine/main', 'scenarios/run/main', 'client/public', ...threads]) {
    mkdirSync(path.dirname(path.join(directory, 'src', entry)), { recursive: true });
    writeFileSync(path.join(directory, `src/${entry}.ts`), '');
  }
  writeFileSync(path.join(directory, 'src/main.ts'), "console.log('new' as string);");
  for (const file of ['dist/main.js', 'dist/removed.js', 'dist/chunks/recent.js', oldChunk])
    writeFileSync(path.join(directory, file), 'old');
  utimesSync(path.join(directory, oldChunk), 0, 0);
  const compiler = path.join(directory, 'node_modules/.bin/tsc');
  writeFileSync(
    compiler,
    `#!/bin/sh
for out; do :; done
mkdir -p "$out"
cp dist/main.js "$out/seen"
${compilerEnd}
`,
  );
  chmodSync(compiler, 0o755);
  return directory;
}

/** What is built of it. */
const built = [
  'LICENSES.txt',
  'access',
  'client',
  'dashboard',
  'engine',
  'labs',
  'main.js',
  'main.js.map',
  'modules',
  'reference',
  'sbom.cdx.json',
  'scenarios',
];
/** What is in such a repository, with its program. */
const whatIsThere = ['dist', 'node_modules', 'package.json', 'scripts', 'src', 'web'];

const build = (directory: string) => spawnSync('npm', ['run', 'build'], { cwd: directory, encoding: 'utf8' });
const programIn = (directory: string) => readFileSync(path.join(directory, 'dist/main.js'), 'utf8').trim();
const seenIn = (directory: string) => readFileSync(path.join(directory, 'dist/modules/seen'), 'utf8').trim();

test('a build replaces the program as a whole, once it is compiled', () => {
  const directory = repository('good', '');
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(programIn(directory)).toContain('console.log("new")');
  expect(seenIn(directory)).toBe('old');
  expect(readdirSync(directory).toSorted()).toEqual(whatIsThere);
  expect(readdirSync(path.join(directory, 'dist')).toSorted()).toEqual(built);
  expect(readFileSync(path.join(directory, 'dist/dashboard/index.html'), 'utf8')).toContain('page');
  for (const file of ['main.js', 'engine/main.js'])
    expect(statSync(path.join(directory, 'dist', file)).mode & 0o111).toBe(0o111);
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(seenIn(directory)).toBe(programIn(directory));
});

test('--if-changed builds after a change alone', () => {
  const directory = repository('changed', '');
  utimesSync(path.join(directory, 'dist/main.js'), 0, 0);
  const run = () =>
    spawnSync('node', ['scripts/build.mjs', '--if-changed'], { cwd: directory, encoding: 'utf8' }).stdout;
  expect(run()).toContain('Building');
  expect(run()).toBe('');
  rmSync(path.join(directory, 'web/dashboard/unused.ts'));
  expect(run()).toContain('Building');
});

test('a build that fails leaves the program that there was, and does not stand in the way of the next', () => {
  const directory = repository('bad', '[ -e works ]');
  expect(build(directory).status).not.toBe(0);
  expect(programIn(directory)).toBe('old');
  writeFileSync(path.join(directory, 'works'), '');
  expect(build(directory)).toMatchObject({ status: 0 });
  expect(seenIn(directory)).toBe('old');
  expect(programIn(directory)).toContain('new');
  expect(readdirSync(directory).toSorted()).toEqual([...whatIsThere, 'works']);
});

test('a build with a file that cannot be read as a program says where, and leaves the program that there was', () => {
  const directory = repository('syntax', '');
  writeFileSync(path.join(directory, 'src/engine/main.ts'), '\nconst const = 1;');
  const { status, stderr } = build(directory);
  expect(status).not.toBe(0);
  expect(stderr).toContain('src/engine/main.ts:2:6');
  expect(programIn(directory)).toBe('old');
});

test('the build of the tests replaces file by file: nothing of the program is ever missing, and type errors are told', () => {
  const directory = repository('tests', 'echo "a type error"; exit 2');
  const { status, stdout } = spawnSync('node', ['scripts/build.mjs', '--file-by-file'], {
    cwd: directory,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'a type error\n' });
  expect(seenIn(directory)).toBe('old');
  expect(programIn(directory)).toContain('new');
  expect(readdirSync(path.join(directory, 'dist')).toSorted()).toEqual(
    [...built, 'chunks', 'removed.js'].toSorted(),
  );
  // What the program of a moment ago may still load.
  expect(readdirSync(path.join(directory, 'dist/chunks'))).toEqual(['recent.js']);
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

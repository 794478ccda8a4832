#!/usr/bin/env node
// Makes dist of src, with source maps, and the page for people of web/dashboard: what `npm run build` and the set-up of the tests run.
//   node scripts/build.mjs                  puts a new dist in the place of the old one; a build that fails leaves that alone
//   node scripts/build.mjs --if-changed     does nothing if dist is newer than its sources; for the demo
//   node scripts/build.mjs --file-by-file   for tests: see there
//   node scripts/build.mjs --program-only   for the container image: without dist/modules, and so without a type check
// dist has the program as few files, for a quick start (docs/adr/0014-bundle.md), and in `modules` each file of src by itself:
// for the tests and scripts that want one part only, and for the types of the client.
// Everything is made beside dist first, so that there is a whole program all the time, the one before or the new one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { bundle, packagesOf } from './lib/bundle.mjs';
import { compressedFiles, copiedFiles } from './lib/copied-files.mjs';
import { isFresh } from './lib/freshness.mjs';
import { readOptions } from './lib/options.mjs';
import { buildPage } from './lib/page.mjs';
import { billOfMaterials, npmComponent } from './lib/sbom.mjs';

const options = readOptions({
  'if-changed': { type: 'boolean', default: false },
  'file-by-file': { type: 'boolean', default: false },
  'program-only': { type: 'boolean', default: false },
});
const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
const dist = path.join(root, 'dist');
// Two builds at a time do not meet: each has names of its own.
const fresh = path.join(root, `dist.new.${process.pid}`);
const former = path.join(root, `dist.old.${process.pid}`);

/** A build that was killed could not tidy up. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const pid = /^dist\.(?:new|old)\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(path.join(root, name), { recursive: true, force: true });
  }
}

function copyFiles() {
  for (const [directory, sources] of Object.entries(copiedFiles)) {
    mkdirSync(path.join(fresh, directory), { recursive: true });
    for (const source of sources)
      copyFileSync(path.join(root, source), path.join(fresh, directory, path.basename(source)));
  }
  for (const [directory, sources] of Object.entries(compressedFiles))
    for (const source of sources) {
      const bytes = gzipSync(readFileSync(path.join(root, source)), { level: constants.Z_BEST_COMPRESSION });
      writeFileSync(path.join(fresh, directory, `${path.basename(source)}.gz`), bytes);
    }
}

/** Compiles each file by itself. Returns whether the compiler found no error. */
async function compile() {
  const compiler = path.join(root, 'node_modules', '.bin', 'tsc');
  const args = ['-p', 'tsconfig.build.json', '--outDir', path.join(fresh, 'modules')];
  try {
    const [code] = await once(spawn(compiler, args, { stdio: 'inherit' }), 'close');
    return code === 0;
  } catch (error) {
    process.stderr.write(`build: ${String(error)}; "npm ci" installs the compiler\n`);
    return false;
  }
}

async function makeProgram() {
  const bundled = await bundle(fresh);
  if (bundled === undefined) return false;
  for (const program of ['main.js', 'engine/main.js']) chmodSync(path.join(fresh, program), 0o755);
  copyFiles();
  const ofPage = packagesOf(await buildPage(path.join(fresh, 'dashboard')));
  const packages = new Set([...bundled, ...ofPage].map((directory) => path.resolve(directory)));
  for (const file of packagesOf(Object.values(compressedFiles).flat())) packages.add(path.resolve(file));
  const bill = billOfMaterials(
    root,
    [...packages].map((directory) => npmComponent(directory)),
  );
  writeFileSync(path.join(fresh, 'sbom.cdx.json'), bill);
  // A source that changes during the build is newer than the program.
  utimesSync(path.join(fresh, 'main.js'), startedAt, startedAt);
  return true;
}

/** Makes all of `fresh`. Returns whether there was no error. */
async function make() {
  const compiling = options['program-only'] || compile();
  try {
    return (await makeProgram()) && (await compiling);
  } finally {
    // `fresh` is removed after this: nothing may write there any more.
    await compiling;
  }
}

/** The new directory in the place of the old one, which comes back when that does not work. */
function exchange() {
  if (existsSync(dist)) renameSync(dist, former);
  try {
    renameSync(fresh, dist);
  } finally {
    if (!existsSync(dist) && existsSync(former)) renameSync(former, dist);
  }
}

/** Their names contain a hash of their content. No program loads those that no build made for an hour. */
function removeOldFiles() {
  for (const directory of ['chunks', 'dashboard/assets'].map((name) => path.join(dist, name)))
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      const file = path.join(directory, name);
      if (Date.now() - statSync(file).mtimeMs > 3_600_000) rmSync(file);
    }
}

/**
 * Replaces file by file, and removes none at once: a process with the old program, such as another run of the tests, may still
 * load a part of it, which is missing in the moment between the two renames of `exchange`.
 */
function replaceFiles() {
  for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(dist, path.relative(fresh, from));
    if (entry.isDirectory()) mkdirSync(to, { recursive: true });
    else {
      mkdirSync(path.dirname(to), { recursive: true });
      renameSync(from, to);
    }
  }
  removeOldFiles();
}

removeLeftovers();
if (options['if-changed']) {
  if (isFresh(root)) process.exit();
  console.log('Building lab-api (about half a minute).');
}
await import('./client-types.mjs');
// After the types, which are a source, too.
const startedAt = new Date();
try {
  const isClean = await make();
  if (!isClean) process.exitCode = 1;
  // The compiler writes its output in spite of type errors: they are for `npm run typecheck` to fail on, not for tests.
  if (options['file-by-file'] && existsSync(path.join(fresh, 'main.js'))) replaceFiles();
  else if (isClean) exchange();
} finally {
  for (const directory of [fresh, former]) rmSync(directory, { recursive: true, force: true });
}

#!/usr/bin/env node
// Makes the files of a release of the version in package.json, each with a bill of materials, from a clean checkout of its tag:
//   lab-api-VERSION.tgz                   the npm package
//   lab-api_VERSION_amd64.deb             the Debian package, with its own Node.js
//   lab-api-VERSION-linux-x64.tar.gz      for servers without internet access: the program, its Node.js and install-service.sh
//   lab-api-VERSION-source.tar.gz         the source, from which `docker build` makes the images
//   RELEASE_NOTES.md, SHA256SUMS
// The same commit and the same Node.js give the same bytes. Nothing is published, and the network is not used.
//   node scripts/release.mjs [--out DIRECTORY]   default: release
//     --dry-run          for any commit: a missing tag, changed files or a missing section of CHANGELOG.md are only reported
//     --node DIRECTORY   the Node.js in the Debian package and the archive, as nodejs.org unpacks it; default: the one that runs this
//     --level N          of compression, from 1 (quick) to 9; default: 6
//     --built            takes dist as it is, in place of a new build; for tests
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { readOptions } from './lib/options.mjs';
import { addToBill } from './lib/sbom.mjs';
import { makeDebianPackage } from './release/debian-package.mjs';
import { makeProgramTree, normalize } from './release/program-tree.mjs';
import { run } from './release/run.mjs';

const options = readOptions({
  out: { type: 'string', default: 'release' },
  'dry-run': { type: 'boolean', default: false },
  node: { type: 'string', default: path.resolve(process.execPath, '../..') },
  level: { type: 'string', default: '6' },
  built: { type: 'boolean', default: false },
});
const root = path.resolve(import.meta.dirname, '..');
const out = path.resolve(options.out);
const node = path.resolve(options.node);
process.chdir(root);
/** @type {string} */
const version = JSON.parse(readFileSync('package.json', 'utf8')).version;
/** Of the commit: it stands for the time of the build in all files. */
const seconds = Number(run('git', ['log', '-1', '--format=%ct']));
const name = `lab-api-${version}`;

/** @param {string} text */
const say = (text) => process.stdout.write(`release: ${text}\n`);

/** The section of this version in CHANGELOG.md; undefined if there is none. */
function notes() {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## \[)/m);
  return sections.find((text) => text.startsWith(`## [${version}]`));
}

/** Whatever keeps this commit from being a release. */
function objections() {
  const found = [];
  if (run('git', ['status', '--porcelain']) !== '') found.push('there are files that are not committed');
  const tags = run('git', ['tag', '--points-at', 'HEAD']).split('\n');
  if (!tags.includes(`v${version}`))
    found.push(`the tag of this commit is not v${version}, the version of package.json`);
  if (notes() === undefined) found.push(`CHANGELOG.md has no section [${version}]`);
  if (!existsSync(path.join(node, 'LICENSE')))
    found.push(
      `${node} has no LICENSE of Node.js, which must go with it; name an unpacked archive of nodejs.org with --node`,
    );
  const major = Number(run(path.join(node, 'bin/node'), ['-p', 'process.versions.node.split(".")[0]']));
  if (major < 24) found.push(`Node.js ${major} of --node gets no security fixes any more; take 24 or newer`);
  return found;
}

/** tar and gzip, with nothing of this machine. @param {string} directory @param {string} inside @param {string} file */
function pack(directory, inside, file) {
  normalize(path.join(directory, inside), seconds);
  const tar = path.join(directory, 'archive.tar');
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  run('tar', [...same, '-cf', tar, '-C', directory, inside]);
  compress(tar, file);
}

/** @param {string} tar is removed @param {string} file */
function compress(tar, file) {
  writeFileSync(file, gzipSync(readFileSync(tar), { level: Number(options.level) }));
  rmSync(tar);
}

/** @param {string} work */
function makeAll(work) {
  if (!options.built) run('npm', ['run', '--silent', 'build']);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work]);
  run('tar', ['-xzf', path.join(work, `${name}.tgz`), '-C', work]);
  const tarball = path.join(out, `${name}.tgz`);
  // Again: npm keeps the modes of the checkout, which depend on the umask.
  pack(work, 'package', tarball);
  const bill = readFileSync('dist/sbom.cdx.json', 'utf8');
  writeFileSync(`${tarball}.cdx.json`, bill);
  say(`made ${path.basename(tarball)}`);

  const archive = `${name}-linux-${process.arch}`;
  const tree = path.join(work, archive);
  const components = makeProgramTree(tree, { root, tarball, node });
  const wholeBill = addToBill(bill, root, components);
  writeFileSync(path.join(tree, 'dist/sbom.cdx.json'), wholeBill);
  const release = { tree, version, seconds, out, level: Number(options.level) };
  const files = [path.join(out, `${archive}.tar.gz`), makeDebianPackage(path.join(work, 'deb'), release)];
  pack(work, archive, files[0] ?? '');
  for (const file of files) {
    writeFileSync(`${file}.cdx.json`, wholeBill);
    say(`made ${path.basename(file)}`);
  }

  const source = path.join(work, 'source.tar');
  run('git', ['archive', '--format=tar', `--prefix=${name}/`, '-o', source, 'HEAD']);
  compress(source, path.join(out, `${name}-source.tar.gz`));
  writeFileSync(path.join(out, 'RELEASE_NOTES.md'), notes() ?? 'This is a dry run.\n');
}

function writeSums() {
  const lines = readdirSync(out)
    .filter((file) => file !== 'SHA256SUMS')
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(out, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''));
}

const found = objections();
for (const objection of found) process.stderr.write(`release: ${objection}\n`);
if (found.length > 0 && !options['dry-run']) process.exit(1);
mkdirSync(out, { recursive: true });
if (readdirSync(out).length > 0) {
  process.stderr.write(`release: ${out} is not empty; name a new directory with --out\n`);
  process.exit(1);
}
const work = mkdtempSync(path.join(out, '.work-'));
try {
  makeAll(work);
} catch (error) {
  // The program that failed has said why.
  process.stderr.write(`release: ${/** @type {Error} */ (error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (process.exitCode !== 1) {
  writeSums();
  say(`${out} has all files, and SHA256SUMS has their checksums`);
}

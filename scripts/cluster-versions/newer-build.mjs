// A copy of the program as a later version: it has another number, and adds fields wherever hosts talk to one another.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { must } from '../lib/words.mjs';
import { root } from '../lib/service.mjs';

/** Adds a field as a later version may: to the documents, and to those of their parts that do not repeat the words of a client. */
const more = `((key, value) => value !== null && typeof value === 'object' && !Array.isArray(value) &&
  (['', 'asker', 'outcome', 'problem', 'place', 'claim'].includes(key) || 'instance' in value && 'directory' in value)
  ? { ...value, ofLater: { a: [1] } } : value)`;

/** The places where hosts sign messages and answer over HTTP; the bundler may number the name of a parameter. */
const changes = [
  /\btext=JSON\.stringify\(value(?=\))/,
  /function jsonText\(\w+\)\{return`\$\{JSON\.stringify\(\w+(?=\))/,
];

/** The program in that directory; its version is 99.0.0. @param {string} directory */
export function makeNewerBuild(directory) {
  mkdirSync(directory);
  cpSync(path.join(root, 'dist'), path.join(directory, 'dist'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  const about = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ ...about, version: '99.0.0' }));
  const chunks = path.join(directory, 'dist', 'chunks');
  for (const before of changes) {
    const files = readdirSync(chunks).filter(
      (name) => name.endsWith('.js') && before.test(readFileSync(path.join(chunks, name), 'utf8')),
    );
    must(
      files.length === 1,
      `${before} is in ${files.length} files of the program: this script is to be mended`,
    );
    for (const name of files) {
      const file = path.join(chunks, name);
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(before, (call) => `${call}, ${more}`),
      );
    }
  }
  return path.join(directory, 'dist', 'main.js');
}

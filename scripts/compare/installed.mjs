/** How much disk a program needs, without Node or Python and without the tools that run labs. */
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/service.mjs';
import { must } from '../lib/words.mjs';

/** The bytes of the files of a package and of all that it requires, as pip has noted them. */
const sumOfPackages = `
import sys
from importlib import metadata
from pip._vendor.packaging.requirements import Requirement

waiting, sizes = [sys.argv[1]], {}
while waiting:
    name = waiting.pop().lower()
    if name in sizes:
        continue
    sizes[name] = 0
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    sizes[name] = sum(file.locate().stat().st_size for file in found.files or [] if file.locate().is_file())
    for text in found.requires or []:
        needed = Requirement(text)
        if not needed.marker or needed.marker.evaluate({'extra': ''}):
            waiting.append(needed.name)
print(sum(sizes.values()))
`;

/** @param {string} program @param {string[]} args */
function printed(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  must(status === 0, `${program}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** The bytes of a Python package with all that it requires. @param {string} file a program that pip has installed @param {string} name */
export function bytesOfPythonPackage(file, name) {
  const python = /^#!(\S+)/.exec(readFileSync(file, 'utf8'))?.[1];
  must(python, `${file} does not say which Python runs it`);
  return Number(printed(python, ['-c', sumOfPackages, name]));
}

/** The bytes of the files of an npm package, without the packages that are installed below it. @param {string} directory */
function bytesOfNodePackage(directory) {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => !file.split(path.sep).includes('node_modules'));
  return own.reduce((sum, file) => {
    const stat = lstatSync(path.join(directory, file));
    return sum + (stat.isFile() ? stat.size : 0);
  }, 0);
}

/** The bytes of our npm package once it is unpacked, and of the packages that npm installs with it. */
export function bytesOfOwnPackage() {
  const [packed] = JSON.parse(printed('npm', ['pack', '--ignore-scripts', '--dry-run', '--json']));
  const [, ...others] = printed('npm', ['ls', '--omit=dev', '--all', '--parseable']).trim().split('\n');
  // It lists a package once for each that requires it.
  const once = [...new Set(others)];
  return once.reduce((sum, directory) => sum + bytesOfNodePackage(directory), packed.unpackedSize);
}

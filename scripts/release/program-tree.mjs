/** The program as it lies on a machine without Node.js and npm: what the Debian package and the offline archive have in common. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { npmComponent, programComponent } from '../lib/sbom.mjs';
import { run } from './run.mjs';

/** The optional packages, which npm would install: terminals in nodes, and the cluster. @param {string} root */
function optionalPackages(root) {
  // The lock file has those for other processors, too, and node_modules may have packages that are not in it.
  const listing = ['ls', '--omit=dev', '--all', '--parseable', '--package-lock-only'];
  const [own, ...directories] = run('npm', listing, { cwd: root }).trim().split('\n');
  return directories.filter((directory) => directory !== own && existsSync(directory));
}

/** Modes do not depend on the umask, nor times on when it was made. @param {string} directory @param {number} seconds since 1970 */
export function normalize(directory, seconds) {
  for (const entry of [
    { name: '', parentPath: directory },
    ...readdirSync(directory, { recursive: true, withFileTypes: true }),
  ]) {
    const file = path.join(entry.parentPath, entry.name);
    if (!('isSymbolicLink' in entry && entry.isSymbolicLink())) {
      const { mode } = statSync(file);
      chmodSync(file, mode & 0o100 ? 0o755 : 0o644);
    }
    lutimesSync(file, seconds, seconds);
  }
}

/**
 * Unpacks the npm package into `tree`, with a Node.js (`bin/node`), the command `bin/lab`, and the optional packages.
 *
 * @param {string} tree
 * @param {{ root: string, tarball: string, node: string }} from the directory of lab-api, its package, and a Node.js as nodejs.org
 *   unpacks it
 * @returns the components that are not in the npm package
 */
export function makeProgramTree(tree, { root, tarball, node }) {
  mkdirSync(path.join(tree, 'bin'), { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', tree]);
  copyFileSync(path.join(root, 'packaging/lab'), path.join(tree, 'bin/lab'));
  copyFileSync(path.join(node, 'bin/node'), path.join(tree, 'bin/node'));
  const licence = path.join(node, 'LICENSE');
  if (existsSync(licence)) copyFileSync(licence, path.join(tree, 'bin/LICENSE'));
  const version = run(path.join(node, 'bin/node'), ['-p', 'process.versions.node']).trim();
  const components = [programComponent('node', version, 'MIT')];
  for (const directory of optionalPackages(root)) {
    // No program reads types, source maps and the settings of development tools.
    const isNeeded = (/** @type {string} */ source) =>
      !/(?:\.map|\.d\.[cm]?ts|\/\.\w+)$/.test(source) &&
      !path.relative(directory, source).startsWith('node_modules');
    cpSync(directory, path.join(tree, path.relative(root, directory)), { recursive: true, filter: isNeeded });
    components.push(npmComponent(directory));
  }
  return components;
}

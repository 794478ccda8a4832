// Says what the demo needs and this machine has not, before anything is built for it. Needs no package and no build.
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The programs by which the bundled engine makes nodes and links, and the package of Debian that has each. */
const packages = { ip: 'iproute2', nsenter: 'util-linux', unshare: 'util-linux', flock: 'util-linux' };

const directories = (process.env['PATH'] ?? '').split(path.delimiter);
const missing = Object.entries(packages).filter(
  ([program]) => !directories.some((directory) => existsSync(path.join(directory, program))),
);
if (process.platform !== 'linux') {
  console.error('demo: labs are Linux network namespaces; this machine runs another system');
  process.exitCode = 1;
} else if (missing.length > 0) {
  const programs = missing.map(([program]) => program).join(', ');
  const names = [...new Set(missing.map(([, name]) => name))].join(' ');
  console.error(`demo: not on PATH: ${programs}. Install ${names}, and run it again.`);
  process.exitCode = 1;
} else if (!existsSync(path.resolve(import.meta.dirname, '../../node_modules'))) {
  console.error('demo: there is no node_modules: run "npm ci" first');
  process.exitCode = 1;
}

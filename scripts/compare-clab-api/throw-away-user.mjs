import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { must } from '../lib/words.mjs';

/** @param {string} program @param {string[]} args @param {string} [input] */
function run(program, args, input = '') {
  const { status, error, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  must(status === 0, `${program} failed: ${error?.message ?? stderr.trim()}`);
}

/**
 * A user of this machine with a password that nobody knows, and a group of the same name: clab-api-server logs Linux users in.
 * It goes when the script ends.
 * @param {string} home a directory that does not exist yet
 */
export function throwAwayUser(home) {
  must(process.getuid?.() === 0, 'only root can make the Linux user that logs in to clab-api-server');
  const name = `cmp-${process.pid}`;
  const password = randomBytes(24).toString('hex');
  run('useradd', ['--create-home', '--home-dir', home, '--user-group', '--shell', '/usr/sbin/nologin', name]);
  process.on('exit', () => void spawnSync('userdel', [name]));
  // On standard input: arguments are for everybody to see.
  run('chpasswd', [], `${name}:${password}`);
  return { name, password };
}

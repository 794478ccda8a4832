import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

const mark = 'LAB_SCRIPT_CONFINED';

/** Every mount but those of the kernel becomes read-only; the one directory is mounted on itself first, and is not. */
const readOnly = `set -e
mount --make-rprivate /
findmnt -rno TARGET | grep -vE '^/(proc|sys|dev)(/|$)' | while read -r target; do
  mount -o remount,bind,ro "$target" 2>/dev/null || [ "$target" != / ]
done
mount --bind "$1" "$1"
mount -o remount,bind,rw "$1"
shift`;

/**
 * A group of its own: a signal to "all of my group" (kill(2), 0) would leave the namespace otherwise. The shell stays, as the first
 * process, to take in what was left by its parent: as a zombie, it would look to tests as if it still ran.
 */
const runAsGroup = `setsid "$@"
exit`;

/** The engine keeps the names of its labs in /run. */
const ownNetwork = `mount -t tmpfs tmpfs /run
ip link set lo up`;

export function isConfined() {
  return process.env[mark] !== undefined;
}

/**
 * Runs this script again, with its arguments, in a PID namespace (its end is the end of all that it started) and where only
 * `writable` can be written. The result is its exit code.
 * @param {string} writable
 * @param {{ hasOwnNetwork?: boolean }} [options] with a network of its own: no way to any other machine, and no lab of this one
 */
export async function confine(writable, { hasOwnNetwork = false } = {}) {
  mkdirSync(writable, { recursive: true });
  const temporary = mkdtempSync(path.join(writable, 'tmp-'));
  // A program that runs there may start others as another user.
  chmodSync(temporary, 0o711);
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const network = hasOwnNetwork ? ['--net'] : [];
  const namespaces = [...asUser, ...network, '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const script = [readOnly, ...(hasOwnNetwork ? [ownNetwork] : []), runAsGroup].join('\n');
  const again = [process.execPath, ...process.argv.slice(1)];
  const outer = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', writable, ...again], {
    stdio: 'inherit',
    env: { ...process.env, [mark]: '1', TMPDIR: temporary },
  });
  // The Ctrl-C of a terminal does not reach another group. With this one, all that is inside ends (`--kill-child`).
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => outer.kill('SIGKILL'));
  const ended = await once(outer, 'exit').catch((/** @type {Error} */ error) => {
    process.stderr.write(`unshare(1) cannot be started: ${error.message}\n`);
    return [1];
  });
  rmSync(temporary, { recursive: true, force: true });
  return ended[0] ?? 1;
}

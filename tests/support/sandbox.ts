/** A place where every port and every lab instance is free, and whose processes end with it: for fixed addresses. */
import { execFileSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;

/** Networks, mounts and processes of our own; who is not root becomes root of a user namespace for that. */
const enter = [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

// The engine keeps the names of its labs in /run.
const prepare = 'ip link set lo up && mount -t tmpfs tmpfs /run && exec "$@"';

/** The command line that runs `command` in a sandbox. */
export function sandboxed(...command: readonly string[]): [string, ...string[]] {
  return [...enter, 'sh', '-c', prepare, 'sh', ...command] as [string, ...string[]];
}

/** Why there can be no sandbox here; undefined when there can. */
export function missingForSandbox(): string | undefined {
  const [file, ...args] = sandboxed('true');
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'namespaces cannot be made here';
  }
}

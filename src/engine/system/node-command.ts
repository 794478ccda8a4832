/** How a program gets into a node, for the engine and for the service. */
import path from 'node:path';
import { claimDirectory, namespaceFile } from './namespace-files.ts';

/**
 * Runs before the command, in its own mount and host name namespaces. There, the host name is the name of the node,
 * /etc/hosts has the names of the nodes, and /sys has the interfaces of the node; all of that ends with the command.
 * If mounting is not allowed, the command runs without it. (`unshare` makes the mounts `slave`: with `private`, the
 * command would keep its own copies of the mounted namespaces, and so every namespace of the lab, alive.)
 */
const execScript = `hostname "$1" 2>/dev/null || :
mount --bind "$2" /etc/hosts 2>/dev/null || :
mount -t sysfs sysfs /sys 2>/dev/null || :
shift 2
command -v "$1" >/dev/null || { printf 'Fatal error in lab exec: there is no program "%s"\\n' "$1" >&2; exit 127; }
exec "$@"`;

/** The arguments of `nsenter` that run a command in a node. `nsenter` becomes the command: it gets the signals, and gives its exit code. */
export function argumentsInNode(
  { runDir }: { readonly runDir: string },
  instance: string,
  {
    node,
    command,
  }: {
    readonly node: { readonly name: string; readonly namespace: string };
    readonly command: readonly string[];
  },
): string[] {
  return [
    `--net=${namespaceFile(runDir, node.namespace)}`,
    'unshare',
    '--uts',
    '--mount',
    '--propagation',
    'slave',
    'sh',
    '-c',
    execScript,
    'lab-exec',
    node.name,
    path.join(claimDirectory(runDir, instance), 'hosts'),
    ...command,
  ];
}

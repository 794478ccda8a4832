import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import { livingOwner } from '../jobs/store/data-dir-owner.ts';
import { listenProblem } from '../config/listen-error.ts';
import { systemCode } from '../lib/app-error.ts';
import { failed, ok, type Finding, type Subject } from './finding.ts';

/** State 0A is LISTEN; field 9 the inode of the socket (proc(5), /proc/net/tcp). */
function listeningInodes(port: number): Set<string> {
  const inodes = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = readOrEmpty(file).split('\n').slice(1);
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      const [address, state, inode] = [fields[1], fields[3], fields[9]];
      if (
        state === '0A' &&
        inode !== undefined &&
        Number.parseInt(address?.split(':')[1] ?? '', 16) === port
      ) {
        inodes.add(`socket:[${inode}]`);
      }
    }
  }
  return inodes;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false;
      }
    });
  } catch {
    // Gone, or of another user.
    return false;
  }
}

/** The process that listens on the port; undefined when it is another user's. */
function findListener(port: number): number | undefined {
  const sockets = listeningInodes(port);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = sockets.size === 0 ? undefined : pids.find((candidate) => holds(candidate, sockets));
  return pid === undefined ? undefined : Number(pid);
}

async function tryToListen(host: string, port: number): Promise<unknown> {
  const server = net.createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}

/** Whether the service could listen, or already does. */
export async function checkPort({ config }: Subject): Promise<Finding> {
  const { bind, port, dataDir } = config;
  const error = await tryToListen(bind, port);
  if (error === undefined) return ok(`${bind} port ${port} is free`);
  const { detail, remedy } = listenProblem(error, config);
  if (systemCode(error) !== 'EADDRINUSE') return failed(detail, remedy);
  const listener = findListener(port);
  const owner = await livingOwner(dataDir);
  if (listener !== undefined && listener === owner?.pid) {
    return ok(`${bind} port ${port} is in use by our own service, process id ${listener}`);
  }
  const who =
    listener === undefined
      ? 'of another user (root may see which)'
      : `${listener} (${readOrEmpty(`/proc/${listener}/comm`).trim()})`;
  return failed(`${detail}: process ${who}`, remedy);
}

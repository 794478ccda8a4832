/** The processes of a node, stopped or killed from outside (signal(7)). They are those in its network namespace. */
import { AppError, invalidField } from '../../lib/app-error.ts';
import { assertOwnNetwork } from './interfaces.ts';
import { look, type NodeSession } from './node-session.ts';

/**
 * Defines `processes`, which prints the ids of all. Programs of this service are in the same network, but share the pid namespace of the machine.
 * find(1) takes a pattern, in which the brackets of `net:[4026531840]` are to stand for themselves.
 */
const findAll = `net=$(readlink /proc/self/ns/net | sed 's/[][]/\\\\&/g')
machine=$(readlink /proc/self/ns/pid)
processes() {
  for found in $(find /proc/[0-9]*/ns/net -maxdepth 0 -lname "$net" 2>/dev/null); do
    own=\${found%/ns/net}
    [ "$(readlink "$own/ns/pid")" = "$machine" ] || echo "\${own#/proc/}"
  done
}`;

const names = `${findAll}
readlink /proc/self/ns/net
for id in $(processes); do cat "/proc/$id/comm" 2>/dev/null; done | sort -u`;

/** A process may start another one before it is stopped: until there are no new ones. */
const signalAll = `${findAll}
before=
for round in 1 2 3 4 5 6 7 8 9 10; do
  now=$(processes)
  [ "$now" = "$before" ] && exit
  [ -z "$now" ] || kill "-$1" $now 2>/dev/null
  before=$now
done`;

const killNamed = `${findAll}
for id in $(processes); do
  [ "$(cat "/proc/$id/comm" 2>/dev/null)" = "$1" ] && kill -KILL "$id"
done
exit 0`;

async function run(session: NodeSession, text: string, ...words: readonly string[]): Promise<string> {
  const { exitCode, output, words: said } = await look(session, ['sh', '-c', text, 'lab-fault', ...words]);
  if (exitCode === 0) return output;
  throw new AppError(
    'lab-cli-failed',
    `the processes of ${session.node} could not be read or signaled: ${said}`,
  );
}

/** @throws AppError `not-supported` for a node without processes; `invalid-request` for a `process` that it does not run. */
export async function assertProcesses(session: NodeSession, process: string | null): Promise<void> {
  const [network = '', ...lines] = (await run(session, names)).split('\n');
  assertOwnNetwork(session.node, network);
  const found = lines.filter((name) => name !== '');
  if (found.length === 0)
    throw new AppError('not-supported', `no process of its own runs in ${session.node}`);
  if (process !== null && !found.includes(process))
    throw invalidField('process', `${session.node} does not run "${process}"; it runs ${found.join(', ')}`);
}

export async function pauseProcesses(session: NodeSession): Promise<void> {
  await run(session, signalAll, 'STOP');
}

export async function resumeProcesses(session: NodeSession): Promise<void> {
  await run(session, signalAll, 'CONT');
}

export async function killProcess(session: NodeSession, process: string): Promise<void> {
  await run(session, killNamed, process);
}

/**
 * The interfaces of all nodes of a lab of the engine. Its nodes are network namespaces without a process, so a program of this
 * machine has to enter each: one shell does so for all of them, in some 2 ms a node.
 */
import { messageOf } from '../../../lib/app-error.ts';
import type { RunResult } from '../../system/run.ts';
import type { Look } from '../containers-there.ts';
import { parseNetDev, uptimeMs, type InterfacesThen, type InterfacesThere } from '../net-dev.ts';
import type { Asker } from '../status-driver.ts';
import { ranToItsEnd } from '../status-failure.ts';
import { engineHome, holderOf, isPlainName, nodesIn, runDirectory } from './engine-state.ts';

/** Each argument is a namespace. Of one that is gone, only the name is printed. */
const script = `cd /run/netns || exit
for namespace; do
  echo "/$namespace"
  nsenter --net="$namespace" cat /proc/uptime /proc/net/dev
done`;

/** Reads the output about one namespace: its name, the time, and the interfaces. */
function parsePart(part: string): readonly (readonly [string, InterfacesThen])[] {
  const [namespace = '', uptime = '', ...lines] = part.split('\n');
  const readAtMs = uptimeMs(Number.parseFloat(uptime));
  if (Number.isNaN(readAtMs)) return [];
  return [[namespace, { readAtMs, interfaces: parseNetDev(lines.join('\n')) }]];
}

/** Reads the output of the script, by namespace. */
export function parseReadings(output: string): ReadonlyMap<string, InterfacesThen> {
  // The last line of an output that was cut short has half a number. No name of an interface has a slash.
  const whole = output.slice(0, Math.max(0, output.lastIndexOf('\n')));
  return new Map(`\n${whole}`.split('\n/').slice(1).flatMap(parsePart));
}

/** The exit code of a shell for a program that it does not find (POSIX, 2.8.2). */
const notFound = 127;

/** Why namespaces that are there may be missing in the output. */
function doubtAbout(result: RunResult): string | null {
  if (result.spawnError !== null) return result.spawnError;
  if (!ranToItsEnd(result))
    return `the program that reads interfaces was ended (${result.ended ?? result.signal})`;
  return result.exitCode === notFound ? result.stderr.toString('utf8').trim().split('\n', 1).join() : null;
}

async function readInterfaces(lab: string, asker: Asker, look: Look): Promise<InterfacesThere> {
  const home = engineHome(asker.env);
  const runDir = await runDirectory(home, asker);
  const nodes = (await nodesIn(home, lab)).filter(({ namespace }) => isPlainName(namespace));
  if (runDir === undefined || nodes.length === 0) return { found: new Map(), doubt: null };
  const holder = await holderOf(home);
  // As `joinArguments` of src/engine/namespaces/holder.ts.
  const enter = ['nsenter', '--target', String(holder), '--user', '--preserve-credentials', '--mount', '--'];
  const shell = ['-c', script, 'lab', ...nodes.map(({ namespace }) => namespace)];
  const result =
    holder === undefined ? await look('sh', shell) : await look('nsenter', [...enter, 'sh', ...shell]);
  const read = parseReadings(result.stdout.toString('utf8'));
  const found = new Map(
    nodes.flatMap(({ name, namespace }) => {
      const then = read.get(namespace);
      return then === undefined ? [] : [[name, then] as const];
    }),
  );
  return { found, doubt: doubtAbout(result) };
}

export async function engineInterfaces(lab: string, asker: Asker, look: Look): Promise<InterfacesThere> {
  try {
    return await readInterfaces(lab, asker, look);
  } catch (error) {
    return { found: new Map(), doubt: `the state of the engine cannot be read: ${messageOf(error)}` };
  }
}

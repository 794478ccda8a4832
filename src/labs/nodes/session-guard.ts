/**
 * Ends what runs at a terminal where closing the terminal does not: in a container, whose engine goes on with a program when
 * its client is gone; and on this machine what ignores that its terminal is gone, or does not get to know, because it is still open
 * in something that was started later (the package lets all of it inherit the terminals there are). It waits from before the terminal is opened,
 * and acts when its standard input ends: when we close it, and when we are killed.
 */
import { spawn } from 'node:child_process';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { sessionVariable } from '../drivers/node-driver.ts';

const mark = 'lab: on guard';
/** Of processes that start others while they are ended, some may be missed at first: it looks again until there are none. */
const script = `echo '${mark}' >&2
read -r _ && exit
for round in 1 2 3 4 5 6 7 8 9; do
  found=
  for file in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' <"$file" | grep -qxF "${sessionVariable}=$1"; then
      pid=\${file%/environ}
      kill -KILL "\${pid#/proc/}" && found=yes
    fi
  done
  [ -n "$found" ] || exit 0
done 2>/dev/null`;

/** How long the way into the node may take, and how long the guard may take to do its work. */
const limitMs = 10_000;

export interface SessionGuard {
  /** Ends everything of the session; resolves when that is done. */
  readonly end: () => Promise<void>;
  /** Sends it home: nothing of the session is left. */
  readonly dismiss: () => void;
}

/** Puts a guard into the node, or right here when no words lead there; undefined when it does not get there, with what was said of it. */
export async function placeGuard(
  way: readonly string[],
  session: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly guard: SessionGuard | undefined; readonly words: string }> {
  const [file = '', ...args]: readonly string[] = [...way, 'sh', '-c', script, 'lab', session];
  const child = spawn(file, args, {
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const placed = deferred<boolean>();
  const ended = deferred<void>();
  let words = '';
  child.stdin?.on('error', () => undefined);
  child.stderr?.on('data', (chunk: Buffer) => {
    if (words.length < 4096) words += chunk.toString('utf8');
    if (words.includes(mark)) placed.resolve(true);
  });
  child.once('error', ({ message }) => {
    words += message;
    placed.resolve(false);
    ended.resolve();
  });
  child.once('close', () => {
    placed.resolve(false);
    ended.resolve();
  });
  const stopTimer = after(limitMs, () => void child.kill('SIGKILL'));
  const isPlaced = await placed.promise;
  stopTimer();
  if (!isPlaced) return { guard: undefined, words };
  const end = async (): Promise<void> => {
    child.stdin?.destroy();
    const stopWaiting = after(limitMs, () => void child.kill('SIGKILL'));
    await ended.promise;
    stopWaiting();
  };
  return { guard: { end, dismiss: () => void child.stdin?.end('\n') }, words };
}

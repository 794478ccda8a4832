import { once } from 'node:events';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** @type {Set<ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Kills the child at the end of the script, if it still runs then: after a Ctrl-C while it started, for one. @param {ChildProcess} child */
export function endWithScript(child) {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/**
 * Sends a signal to a child process; resolves when the process has ended. Does nothing to one that has ended already.
 * @param {ChildProcess | undefined} child
 * @param {NodeJS.Signals} [signal]
 */
export async function endChild(child, signal = 'SIGTERM') {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

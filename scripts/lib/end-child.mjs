import { once } from 'node:events';

/**
 * Sends a signal to a child process; resolves when the process has ended. Does nothing to one that has ended already.
 * @param {import('node:child_process').ChildProcess | undefined} child
 * @param {NodeJS.Signals} [signal]
 */
export async function endChild(child, signal = 'SIGTERM') {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

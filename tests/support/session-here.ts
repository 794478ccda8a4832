import { randomUUID } from 'node:crypto';
import { afterAll, jest } from '@jest/globals';
import type { NodeSession } from '../../src/labs/nodes/node-session.ts';
import { processesWith } from './environments.ts';

const marks: string[] = [];
const processesOf = (mark: string): number[] => processesWith(`NODES_TEST=${mark}`);

// What was meant to stay, or was left by a test that failed.
afterAll(() => {
  for (const pid of marks.flatMap(processesOf)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  }
});

/** A session right here in place of a node: its processes have a mark in their environment, by which they are found. */
export function sessionHere({ env = {}, ...changes }: Partial<NodeSession> = {}) {
  const mark = randomUUID();
  marks.push(mark);
  const abort = new AbortController();
  let left = 0;
  const session: NodeSession = {
    way: [],
    node: 'the node r1',
    env: { PATH: process.env['PATH'] ?? '', ...env, NODES_TEST: mark },
    signal: abort.signal,
    leave: () => (left += 1),
    ...changes,
  };
  return { session, abort, processes: () => processesOf(mark), placesGivenBack: () => left };
}

/** From now on, the limits of time pass when the test says so. That of `eventually` does not. */
export function holdTime(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
}

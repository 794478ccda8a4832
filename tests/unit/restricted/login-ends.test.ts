import { expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { hasLoginEnded, LoginEnds } from '../../../src/restricted/login-ends.ts';

test('a login has one signal, which ends with it or with the service', () => {
  const shutdown = new AbortController();
  const [first, second] = [new AbortController(), new AbortController()];
  const ends = new LoginEnds(shutdown.signal);
  const [one, other] = [ends.signalOf(first.signal), ends.signalOf(second.signal)];
  expect(ends.signalOf(first.signal)).toBe(one);
  first.abort();
  expect([one, other].map(hasLoginEnded)).toEqual([true, false]);
  shutdown.abort();
  expect(other.aborted).toBe(true);
  expect(hasLoginEnded(other)).toBe(false);
});

test('a thousand logins are one listener at the service', () => {
  const shutdown = new AbortController();
  const ends = new LoginEnds(shutdown.signal);
  for (let login = 0; login < 1_000; login += 1) ends.signalOf(new AbortController().signal);
  expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1);
});

test('what has ended before stays ended', () => {
  const [shutdown, login] = [new AbortController(), new AbortController()];
  const ends = new LoginEnds(shutdown.signal);
  login.abort();
  expect(hasLoginEnded(ends.signalOf(login.signal))).toBe(true);
  shutdown.abort();
  expect(ends.signalOf(new AbortController().signal).aborted).toBe(true);
});

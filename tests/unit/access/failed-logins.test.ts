import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Request } from 'express';
import { FailedLogins } from '../../../src/access/failed-logins.ts';
import { addressOf } from '../../../src/http/request/address.ts';

afterEach(() => void jest.restoreAllMocks());

function fail(failures: FailedLogins, address: string, times: number): boolean[] {
  return Array.from({ length: times }, () => failures.count(address));
}

/** Lets the time of `performance.now()` be set. */
function clock(): { ms: number } {
  const time = { ms: 1_000 };
  jest.spyOn(performance, 'now').mockImplementation(() => time.ms);
  return time;
}

describe('failed logins', () => {
  test('lock an address at the thirtieth, and no other', () => {
    const failures = new FailedLogins();
    expect(fail(failures, 'a', 30)).toEqual([...Array<boolean>(29).fill(false), true]);
    expect(failures.lockedMs('a')).toBeGreaterThan(0);
    expect(failures.lockedMs('b')).toBe(0);
  });

  test('are forgotten a minute after the first, locked or not', () => {
    const time = clock();
    const failures = new FailedLogins();
    fail(failures, 'a', 29);
    fail(failures, 'b', 30);
    time.ms += 59_999;
    expect(failures.lockedMs('b')).toBe(1);
    time.ms += 1;
    expect(failures.lockedMs('b')).toBe(0);
    expect(failures.count('a')).toBe(false);
  });

  test('do not depend on the time of day, which may be set back', () => {
    const failures = new FailedLogins();
    fail(failures, 'a', 30);
    jest.spyOn(Date, 'now').mockImplementation(() => 0);
    expect(failures.lockedMs('a')).toBeLessThanOrEqual(60_000);
  });

  test('of the oldest address are forgotten when there are ten thousand', () => {
    const failures = new FailedLogins();
    fail(failures, 'first', 30);
    for (let index = 1; index < 10_000; index += 1) failures.count(`other ${index}`);
    expect(failures.lockedMs('first')).toBeGreaterThan(0);
    failures.count('one more');
    expect(failures.lockedMs('first')).toBe(0);
  });

  test.each([
    { one: '2001:db8:0:aa00::1', other: '2001:db8:0:aaff::2', isSame: true },
    { one: '2001:db8:0:aa00::1', other: '2001:db8:0:ab00::1', isSame: false },
    { one: '192.0.2.1', other: '192.0.2.2', isSame: false },
    { one: '192.0.2.1', other: '::ffff:192.0.2.1', isSame: true },
    { one: '192.0.2.1:40000', other: '192.0.2.1:40001', isSame: true },
    { one: '[2001:db8::1]:40000', other: '2001:db8::1', isSame: true },
    // Of a connection that is cut; it is not this machine's.
    { one: undefined, other: '::1', isSame: false },
  ])('of $one count for $other: $isSame', ({ one, other, isSame }) => {
    const from = (ip: string | undefined) => addressOf({ ip } as Request);
    expect(from(one) === from(other)).toBe(isSame);
  });
});

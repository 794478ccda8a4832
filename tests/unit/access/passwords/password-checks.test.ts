import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { KeptPassword } from '../../../../src/access/model/user.ts';
import type { Verdict } from '../../../../src/access/passwords/check-queue.ts';
import { PasswordChecks } from '../../../../src/access/passwords/password-checks.ts';
import { checksOf, kept, settled } from '../../../support/slow-hashes.ts';

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a password from the environment', () => {
  const plain: KeptPassword = { kind: 'plain', text: 'p\u00e4ss' };

  test.each([
    ['p\u00e4ss', 'right'],
    ['pass', 'wrong'],
    ['', 'wrong'],
    ['p\u00e4ss ', 'wrong'],
  ])('%j is %s at once, and nothing is hashed', (password, verdict) => {
    const { checks, hashes } = checksOf({ hasDecoy: false });
    expect(checks.check({ name: 'ann', password, kept: plain, address: 'a' })).toBe(verdict);
    expect(checks.check({ name: 'bob', password, kept: null, address: 'a' })).toBe('wrong');
    expect(hashes.started).toEqual([]);
  });

  test('beside a users file is right at once, and wrong as late as with any other name', async () => {
    const { checks, hashes } = checksOf();
    expect(checks.check({ name: 'ann', password: 'p\u00e4ss', kept: plain, address: 'a' })).toBe('right');
    const wrong = checks.check({ name: 'ann', password: 'x', kept: plain, address: 'a' });
    await settled();
    expect(hashes.started).toEqual(['decoy x']);
    await hashes.end();
    expect(await wrong).toBe('wrong');
  });
});

describe('a hash is computed', () => {
  test('for a name that nobody has, too, and is never right', async () => {
    const { ask, hashes } = checksOf();
    const verdict = ask('nobody', 'right', 'a', null);
    await settled();
    expect(hashes.started).toEqual(['decoy right']);
    await hashes.end();
    expect(await verdict).toBe('wrong');
  });

  test('once for all who ask the same at the same time', async () => {
    const { ask, hashes } = checksOf();
    const verdicts = numbers(100).map(async (index) => ask('ann', 'right', `a${index}`));
    await settled();
    expect(hashes.started).toEqual(['ann right']);
    await hashes.end();
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set(['right']));
  });

  test('and its verdict is known for minutes when it is right, for seconds when it is wrong', async () => {
    const { ask, hashes } = checksOf();
    const [right, wrong] = [ask('ann', 'right', 'a'), ask('ann', 'wrong', 'a')];
    await settled();
    await hashes.endAll();
    expect([await right, await wrong]).toEqual(['right', 'wrong']);
    const nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs + 9_000);
    expect([ask('ann', 'right', 'b'), ask('ann', 'wrong', 'b')]).toEqual(['right', 'wrong']);
    clock.mockReturnValue(nowMs + 299_000);
    expect(ask('ann', 'right', 'b')).toBe('right');
    expect(ask('ann', 'wrong', 'b')).toBeInstanceOf(Promise);
    clock.mockReturnValue(nowMs + 301_000);
    expect(ask('ann', 'right', 'b')).toBeInstanceOf(Promise);
  });

  test('anew when the password of the user was changed', async () => {
    const { ask, hashes } = checksOf();
    const verdict = ask('ann', 'right', 'a', 'before');
    await settled();
    await hashes.end();
    expect(await verdict).toBe('right');
    void ask('ann', 'right', 'a', 'after');
    await settled();
    expect(hashes.started).toEqual(['before right', 'after right']);
  });

  test('again when it could not be, and whoever asked is told', async () => {
    let isBroken = true;
    const isPassword = async (): Promise<boolean> => {
      if (isBroken) throw new Error('no memory');
      return Promise.resolve(true);
    };
    const checks = new PasswordChecks({ isPassword, decoy: () => undefined });
    const attempt = { name: 'ann', password: 'x', kept: kept('ann'), address: 'a' };
    await expect(checks.check(attempt)).rejects.toThrow('no memory');
    isBroken = false;
    expect(await checks.check(attempt)).toBe('right');
  });
});

describe('in a flood', () => {
  test('strangers have one hash at a time, and who has logged in from there has another', async () => {
    const { ask, hashes, logIn } = checksOf();
    await logIn('ann', 'home');
    for (const index of numbers(10)) void ask('ann', `guess ${index}`, `a${index}`);
    await settled();
    for (const index of numbers(10)) void ask('nobody', `guess ${index}`, `b${index}`, null);
    await settled();
    await hashes.end();
    await hashes.end();
    expect(hashes.running).toBe(1);
    void ask('ann', 'right', 'home');
    await settled();
    expect(hashes.running).toBe(2);
    expect(hashes.started.at(-1)).toBe('ann right');
  });

  test('thousands of guesses cost a few hashes: the rest is turned away at once', async () => {
    const { ask, hashes } = checksOf();
    const verdicts: Verdict[] = [];
    const note = async (verdict: Verdict | Promise<Verdict>): Promise<void> =>
      void verdicts.push(await verdict);
    for (const index of numbers(3_000)) {
      void note(ask('ann', `guess ${index}`, `a${index}`));
      void note(ask(`nobody ${index}`, `guess`, `b${index}`, null));
    }
    await settled();
    // One is computed, and 16 wait in each of the two lanes.
    expect(hashes.started).toHaveLength(1);
    expect(verdicts).toHaveLength(6_000 - 33);
    expect(new Set(verdicts)).toEqual(new Set(['busy']));
    await hashes.endAll();
    expect(hashes.started).toHaveLength(33);
    expect(verdicts.filter((verdict) => verdict === 'wrong')).toHaveLength(33);
  });

  test('the lanes of hundreds of users together are bounded, too', async () => {
    const { ask, hashes } = checksOf();
    for (const index of numbers(500)) void ask(`user ${index}`, 'guess', `a${index}`);
    await settled();
    await hashes.endAll();
    expect(hashes.started).toHaveLength(65);
  });

  test('against one name, a user of another name comes next', async () => {
    const { ask, hashes } = checksOf();
    for (const index of numbers(40)) void ask('ann', `guess ${index}`, `a${index}`);
    for (const index of numbers(40)) void ask('nobody', `guess ${index}`, `b${index}`, null);
    await settled();
    await hashes.end();
    void ask('bob', 'right', 'somewhere');
    await hashes.end();
    expect(hashes.started.at(-1)).toBe('bob right');
    expect(hashes.running).toBe(1);
  });

  test('two names that are guessed at are served in turns', async () => {
    const { ask, hashes } = checksOf();
    for (const index of numbers(6)) void ask('ann', `guess ${index}`, `a${index}`);
    for (const index of numbers(6)) void ask('bob', `guess ${index}`, `b${index}`);
    await settled();
    await hashes.endAll();
    const lanes = hashes.started.map((line) => line.split(' ')[0]);
    // The very first was alone when it came.
    expect(lanes.slice(0, 6).filter((lane) => lane === 'ann')).toHaveLength(3);
  });

  test('an address from where nothing has failed comes before those that have gone on guessing', async () => {
    const { ask, hashes } = checksOf();
    for (const round of numbers(4))
      for (const index of numbers(5)) void ask('ann', `guess ${round}`, `a${index}`);
    for (const index of numbers(8)) void ask('ann', `more ${index}`, `a${index % 5}`);
    await settled();
    void ask('ann', 'right', 'somewhere');
    await settled();
    await hashes.end();
    expect(hashes.started.at(-1)).toBe('ann right');
  });

  test('a full lane turns away who has guessed most, not who comes last', async () => {
    const { ask, hashes } = checksOf();
    for (const index of numbers(40)) void ask('ann', `guess ${index}`, 'evil');
    await settled();
    const verdict = ask('ann', 'right', 'somewhere');
    await settled();
    await hashes.end();
    await hashes.end();
    expect(await verdict).toBe('right');
  });

  test('whoever waits too long is turned away', async () => {
    const { ask, hashes } = checksOf();
    const nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs);
    void ask('ann', 'first', 'a');
    const second = ask('ann', 'second', 'b');
    await settled();
    clock.mockReturnValue(nowMs + 5_001);
    await hashes.end();
    expect(await second).toBe('busy');
    expect(hashes.started).toEqual(['ann first']);
  });

  test('a wrong password costs the trust in an address', async () => {
    const { ask, hashes, logIn } = checksOf();
    await logIn('ann', 'home');
    void ask('ann', 'wrong', 'home');
    void ask('ann', 'guess', 'elsewhere');
    await settled();
    await hashes.endAll();
    void ask('bob', 'guess', 'a');
    await settled();
    void ask('ann', 'right', 'home');
    await settled();
    expect(hashes.running).toBe(1);
  });

  test('who asks the same as a stranger, from where the user has logged in, does not wait for strangers', async () => {
    const { ask, hashes, logIn } = checksOf();
    await logIn('ann', 'home');
    void ask('ann', 'guess', 'anywhere');
    await settled();
    await hashes.endAll();
    for (const index of numbers(5)) void ask('bob', `guess ${index}`, `b${index}`);
    void ask('ann', 'right', 'elsewhere');
    await settled();
    expect(hashes.running).toBe(1);
    void ask('ann', 'right', 'home');
    await settled();
    expect(hashes.started.at(-1)).toBe('ann right');
    expect(hashes.running).toBe(2);
  });
});

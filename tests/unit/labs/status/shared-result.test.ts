import { describe, expect, test } from '@jest/globals';
import { SharedResult } from '../../../../src/labs/status/shared-result.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import type { Deferred } from '../../../../src/lib/async/deferred.ts';

/** A function whose runs the test ends one by one, a clock, and a fingerprint that the test changes. */
function rig() {
  const runs: Deferred<string>[] = [];
  const world = { nowMs: 1_000, fingerprint: 'a' };
  const shared = new SharedResult<string>({
    produce: () => {
      const run = deferred<string>();
      runs.push(run);
      return run.promise;
    },
    fingerprint: () => world.fingerprint,
    maxAgeMs: 100,
    now: () => world.nowMs,
  });
  const end = (index: number, value: string): void => runs[index]?.resolve(value);
  const fail = (index: number, message: string): void => runs[index]?.reject(new Error(message));
  const kept = { fresh: false };
  const fresh = { fresh: true };
  return { shared, runs, world, end, fail, kept, fresh };
}

/** Lets every promise that can settle without outside help settle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('one run at a time', () => {
  test('everybody who asks during a run gets its result', async () => {
    const { shared, runs, end, kept, fresh } = rig();
    const asked = [shared.get(kept), shared.get(fresh), shared.get(kept)];
    end(0, 'one');
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 3 }, () => ({ value: 'one', ageMs: 0 })));
    expect(runs).toHaveLength(1);
  });

  test('a run that began under another fingerprint is followed by one run for all who came later', async () => {
    const { shared, runs, world, end, kept, fresh } = rig();
    const early = shared.get(kept);
    world.fingerprint = 'b';
    const late = [shared.get(kept), shared.get(fresh), shared.get(kept)];
    expect(runs).toHaveLength(1);
    end(0, 'old');
    expect((await early).value).toBe('old');
    await settle();
    expect(runs).toHaveLength(2);
    end(1, 'new');
    expect((await Promise.all(late)).map(({ value }) => value)).toEqual(['new', 'new', 'new']);
    expect((await shared.get(kept)).value).toBe('new');
    expect(runs).toHaveLength(2);
  });

  test('a fingerprint that changes all the time keeps nobody waiting', async () => {
    const { shared, runs, world, end, kept } = rig();
    const first = shared.get(kept);
    world.fingerprint = 'b';
    const second = shared.get(kept);
    world.fingerprint = 'c';
    end(0, 'first');
    await first;
    await settle();
    world.fingerprint = 'd';
    end(1, 'second');
    expect((await second).value).toBe('second');
    expect(runs).toHaveLength(2);
  });
});

describe('what is kept', () => {
  test('is served at once and renewed behind the scenes up to five times that', async () => {
    const { shared, runs, world, end, kept } = rig();
    const first = shared.get(kept);
    end(0, 'one');
    await first;
    world.nowMs += 500;
    expect(await shared.get(kept)).toEqual({ value: 'one', ageMs: 500 });
    expect(await shared.get(kept)).toEqual({ value: 'one', ageMs: 500 });
    expect(runs).toHaveLength(2);
    end(1, 'two');
    await settle();
    expect(await shared.get(kept)).toEqual({ value: 'two', ageMs: 0 });
  });

  test('is not served when older still, when the fingerprint changed, or when asked for fresh', async () => {
    const { shared, runs, world, end, kept, fresh } = rig();
    const first = shared.get(kept);
    end(0, 'one');
    await first;
    world.nowMs += 501;
    const second = shared.get(kept);
    end(1, 'two');
    expect((await second).value).toBe('two');
    world.fingerprint = 'b';
    const third = shared.get(kept);
    end(2, 'three');
    expect((await third).value).toBe('three');
    const fourth = shared.get(fresh);
    end(3, 'four');
    expect((await fourth).value).toBe('four');
    expect(runs).toHaveLength(4);
  });

  test('a result that was overtaken by a change during its run is not kept', async () => {
    const { shared, runs, world, end, kept } = rig();
    const first = shared.get(kept);
    world.fingerprint = 'b';
    end(0, 'old');
    await first;
    const second = shared.get(kept);
    end(1, 'new');
    expect((await second).value).toBe('new');
    expect(runs).toHaveLength(2);
  });
});

describe('failures', () => {
  test('are shared, kept for the age limit, and bypassed by fresh', async () => {
    const { shared, runs, world, end, fail, kept, fresh } = rig();
    const asked = [shared.get(kept), shared.get(kept)];
    fail(0, 'broken');
    for (const one of await Promise.allSettled(asked)) expect(one.status).toBe('rejected');
    world.nowMs += 100;
    await expect(shared.get(kept)).rejects.toThrow('broken');
    expect(runs).toHaveLength(1);
    const renewed = shared.get(fresh);
    end(1, 'fine');
    expect((await renewed).value).toBe('fine');
  });

  test('of a renewal behind the scenes end nothing, and are told to the next who asks', async () => {
    const { shared, world, end, fail, kept } = rig();
    const first = shared.get(kept);
    end(0, 'one');
    await first;
    world.nowMs += 200;
    expect((await shared.get(kept)).value).toBe('one');
    fail(1, 'broken now');
    await settle();
    await expect(shared.get(kept)).rejects.toThrow('broken now');
  });
});

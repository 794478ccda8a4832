import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { Disposer, after, every } from '../../../src/lib/disposal.ts';

describe('Disposer', () => {
  test('undoes the last first, and only once', () => {
    const undone: string[] = [];
    const disposer = new Disposer();
    disposer.add(() => undone.push('first'));
    disposer.add(() => undone.push('second'));
    disposer.dispose();
    disposer.dispose();
    expect(undone).toEqual(['second', 'first']);
  });

  test('takes more after it was used', () => {
    const disposer = new Disposer();
    disposer.dispose();
    let undone = false;
    disposer.add(() => {
      undone = true;
    });
    disposer.dispose();
    expect(undone).toBe(true);
  });
});

describe('timers', () => {
  afterEach(() => void jest.useRealTimers());

  test('after acts once', () => {
    jest.useFakeTimers();
    const action = jest.fn();
    after(1_000, action);
    jest.advanceTimersByTime(999);
    expect(action).not.toHaveBeenCalled();
    jest.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(1);
  });

  test('after can be canceled', () => {
    jest.useFakeTimers();
    const action = jest.fn();
    after(1_000, action)();
    jest.advanceTimersByTime(10_000);
    expect(action).not.toHaveBeenCalled();
  });

  test('after waits longer than setTimeout can, and can be canceled on the way', () => {
    jest.useFakeTimers();
    const dayMs = 86_400_000;
    const [action, canceled] = [jest.fn(), jest.fn()];
    after(60 * dayMs, action);
    const cancel = after(60 * dayMs, canceled);
    jest.advanceTimersByTime(59 * dayMs);
    expect(action).not.toHaveBeenCalled();
    cancel();
    jest.advanceTimersByTime(dayMs);
    expect(action).toHaveBeenCalledTimes(1);
    expect(canceled).not.toHaveBeenCalled();
  });

  test('every repeats until it is canceled', () => {
    jest.useFakeTimers();
    const action = jest.fn();
    const stop = every(100, action);
    jest.advanceTimersByTime(350);
    expect(action).toHaveBeenCalledTimes(3);
    stop();
    jest.advanceTimersByTime(1_000);
    expect(action).toHaveBeenCalledTimes(3);
  });

  test('neither keeps the process alive', () => {
    // The same calls as in disposal.ts would make the run end by its time-out, were the timers not let go.
    const source = [after, every].map((make) => `(${make.toString()})`);
    const script = `const maxTimerMs = 2 ** 31 - 1; ${source.map((make) => `${make}(600000, () => {});`).join('\n')}`;
    const { status, signal, stderr } = spawnSync(process.execPath, ['-e', script], {
      timeout: 20_000,
      encoding: 'utf8',
    });
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  });
});

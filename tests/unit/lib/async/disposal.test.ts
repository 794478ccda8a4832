import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Disposer, after, every } from '../../../../src/lib/async/disposal.ts';

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
    // Node lists what keeps it alive, and no timer that was let go (`process.getActiveResourcesInfo`).
    const before = process.getActiveResourcesInfo();
    const stops = [after(600_000, () => undefined), every(600_000, () => undefined)];
    expect(process.getActiveResourcesInfo()).toEqual(before);
    const other = setTimeout(() => undefined, 600_000);
    expect(process.getActiveResourcesInfo()).toHaveLength(before.length + 1);
    for (const stop of [...stops, () => clearTimeout(other)]) stop();
  });
});

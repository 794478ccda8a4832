type Dispose = () => void;

/** Collects what must be undone (timers, listeners, watchers) and undoes it once, last first. */
export class Disposer {
  #pending: Dispose[] = [];

  add(dispose: Dispose): void {
    this.#pending.push(dispose);
  }

  dispose(): void {
    const pending = this.#pending.toReversed();
    this.#pending = [];
    for (const dispose of pending) dispose();
  }
}

/** A timer that does not keep the process alive; the result cancels it. */
export function after(ms: number, action: () => void): Dispose {
  const timer = setTimeout(action, Math.min(ms, 2 ** 31 - 1));
  timer.unref();
  return () => clearTimeout(timer);
}

/** A repeating timer that does not keep the process alive; the result cancels it. */
export function every(ms: number, action: () => void): Dispose {
  const timer = setInterval(action, ms);
  timer.unref();
  return () => clearInterval(timer);
}

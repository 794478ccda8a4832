type Dispose = () => void;

const maxTimerMs = 2 ** 31 - 1;

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
  let timer: NodeJS.Timeout;
  const arm = (restMs: number): void => {
    // setTimeout takes 24.8 days at most, and fires at once beyond that.
    const stepMs = Math.min(restMs, maxTimerMs);
    timer = setTimeout(() => (restMs > stepMs ? arm(restMs - stepMs) : action()), stepMs);
    timer.unref();
  };
  arm(ms);
  return () => clearTimeout(timer);
}

/** A repeating timer that does not keep the process alive; the result cancels it. */
export function every(ms: number, action: () => void): Dispose {
  const timer = setInterval(action, ms);
  timer.unref();
  return () => clearInterval(timer);
}

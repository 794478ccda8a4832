import { deferred } from './deferred.ts';
import { after } from './disposal.ts';

/** The value of `promise`; undefined when it rejects, or is not there after `ms` milliseconds. */
export async function settledWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: result, resolve } = deferred<T | undefined>();
  const stopTimer = after(ms, () => resolve(undefined));
  promise.then(resolve, () => resolve(undefined));
  return result.finally(stopTimer);
}

import { deferred } from './deferred.ts';
import { after } from './disposal.ts';

/** The value of `promise`. @throws Error with `message` when it takes longer than `ms`; whatever it rejects with. */
export async function inTime<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  const late = deferred<never>();
  const stopTimer = after(ms, () => late.reject(new Error(message)));
  return Promise.race([promise, late.promise]).finally(stopTimer);
}

import { expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Retries } from '../../../src/client/persistently.ts';
import { ServiceError } from '../../../src/client/service-error.ts';

test('a Retry-After longer than a timer can be does not become no pause at all', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const stop = new AbortController();
  const retries = new Retries({ patienceMs: 60_000, signal: stop.signal });
  const headers = new Headers({ 'Retry-After': '99999999' });
  const waiting = retries.waitAfter(new ServiceError(503, headers, { code: 'shutting-down' }));
  await nextTurn();
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

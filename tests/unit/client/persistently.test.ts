import { describe, expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { persistently, Retries } from '../../../src/client/persistently.ts';
import { ConnectionError, ServiceError, UnexpectedReply } from '../../../src/client/service-error.ts';

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

const away = new ServiceError(503, new Headers(), {});

/** What comes of an action that fails with these errors, one after the other, and then does not. */
async function attempts(...errors: readonly Error[]) {
  const lost: Error[] = [];
  let count = 0;
  const action = async (): Promise<string> => {
    count += 1;
    const error = errors[count - 1];
    if (error) throw error;
    return 'done';
  };
  const outcome = await persistently(
    { patienceMs: 60_000, onLost: (error) => lost.push(error) },
    action,
  ).catch((error: unknown) => error);
  return { outcome, count, lost };
}

describe('it is tried again', () => {
  test.each([
    ['the service is away', away],
    ['a proxy does not reach it', new ServiceError(502, new Headers(), {})],
    ['there is no reply', new ConnectionError('lost')],
    ['there may be TLS', new ConnectionError('lost', { reason: 'may-be-tls' })],
    ['the service stops', new ServiceError(503, new Headers(), { code: 'shutting-down' })],
  ])('when %s', async (_name, error) => {
    expect(await attempts(error)).toEqual({ outcome: 'done', count: 2, lost: [error] });
  });

  test('as often as it takes', async () => {
    const again = new ConnectionError('lost again');
    expect(await attempts(away, again)).toEqual({ outcome: 'done', count: 3, lost: [away, again] });
  });

  test('not when it would fail again', async () => {
    for (const error of [
      new UnexpectedReply('odd'),
      new ConnectionError('untrusted', { reason: 'untrusted' }),
      new ConnectionError('plain', { reason: 'plain-http' }),
      new ServiceError(404, new Headers(), {}),
      new ServiceError(500, new Headers(), {}),
      new ServiceError(503, new Headers(), { code: 'storage-fault' }),
      new Error('a bug'),
    ])
      expect(await attempts(error)).toEqual({ outcome: error, count: 1, lost: [] });
  });
});

test('a host that is away is waited for by whoever reads what only that one has, and by nobody else', async () => {
  const hostAway = new ServiceError(503, new Headers(), { code: 'host-unavailable' });
  expect(await attempts(hostAway)).toEqual({ outcome: hostAway, count: 1, lost: [] });
  await new Retries({ patienceMs: 60_000 }, { waitsForHost: true }).waitAfter(hostAway);
});

test('patience counts from the first failure, and anew after an answer', async () => {
  const retries = new Retries({ patienceMs: 0 });
  // The clock may not have gone on by then.
  const exhausted = (async () => {
    for (;;) await retries.waitAfter(away);
  })();
  await expect(exhausted).rejects.toBe(away);
  await expect(retries.waitAfter(away)).rejects.toBe(away);
  retries.reset();
  const error = await new Retries({ patienceMs: -1 }).waitAfter(away).catch((reason: unknown) => reason);
  expect(error).toBe(away);
});

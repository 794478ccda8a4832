import { expect, test } from '@jest/globals';
import { AppError } from '../../../../src/lib/app-error.ts';
import { SessionLimit } from '../../../../src/labs/nodes/session-limit.ts';

const counted = { one: 'terminal', many: 'terminals', setting: 'LAB_API_MAX_TERMINALS' };

function refusal(limit: SessionLimit): AppError {
  try {
    limit.take();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('there was a place');
}

test.each([
  [1, '1 terminal is open already (LAB_API_MAX_TERMINALS)'],
  [2, '2 terminals are open already (LAB_API_MAX_TERMINALS)'],
])('of %i places, none is left when all are taken', (max, message) => {
  const limit = new SessionLimit(max, counted);
  for (let place = 0; place < max; place += 1) {
    limit.check();
    limit.take();
  }
  expect(refusal(limit)).toMatchObject({ code: 'too-many-sessions', message, retryAfterSeconds: 5 });
  expect(() => limit.check()).toThrow(message);
});

test('a place is given back once, however often that is said', () => {
  const limit = new SessionLimit(2, counted);
  const [giveBack] = [limit.take(), limit.take()];
  giveBack();
  giveBack();
  limit.take();
  expect(refusal(limit).code).toBe('too-many-sessions');
});

test('where there are no places, nobody gets one', () => {
  expect(refusal(new SessionLimit(0, counted)).message).toMatch(/^0 terminals are/);
});

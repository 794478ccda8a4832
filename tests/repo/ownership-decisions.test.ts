import { expect, test } from '@jest/globals';
import { routes } from '../../src/http/routers/routes.ts';
import { decisions } from '../support/ownership-decisions.ts';

/** tests/http/ownership-routes.test.ts tries them. */
test('every route has a decision about whose things it touches, in tests/support/ownership-decisions.ts', () => {
  expect(routes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(decisions).toSorted());
});

test('a route that is about a job, a lab or a workspace has it looked up, and for what it does to it', () => {
  for (const { operationId, about, needs } of routes) {
    const decision = decisions[operationId];
    const isThing = about === 'job' || about === 'lab' || about === 'workspace' || about === 'snapshot';
    expect([operationId, isThing ? about : 'none']).toEqual([
      operationId,
      decision?.about === 'all' || decision?.about === 'nothing' ? 'none' : decision?.about,
    ]);
    const expected = decision?.isGift ? 'give' : decision?.takesName ? 'make' : undefined;
    expect([operationId, needs]).toEqual([operationId, expected]);
  }
});

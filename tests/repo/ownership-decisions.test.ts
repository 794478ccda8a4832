import { expect, test } from '@jest/globals';
import { routes } from '../../src/http/routers/routes.ts';
import { decisions } from '../support/ownership-decisions.ts';

/** tests/http/ownership-routes.test.ts tries them. */
test('every route has a decision about whose things it touches', () => {
  expect(routes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(decisions).toSorted());
});

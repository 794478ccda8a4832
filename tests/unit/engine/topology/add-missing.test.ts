import { expect, test } from '@jest/globals';
import { addMissing } from '../../../../src/engine/topology/add-missing.ts';
import type { Mapping } from '../../../../src/engine/topology/source.ts';
import { readingOf } from '../../../support/topologies.ts';

/** Map `a` after `addMissing` with `b`. */
function added(text: string) {
  const { source } = readingOf(text);
  const { a, b } = source.root as { a: Mapping; b: Mapping };
  addMissing(a, b, source);
  return { a, b, source };
}

test.each([
  ['{a: {}, b: {x: 1, y: }}', { x: 1, y: null }],
  ['{a: {x: 0}, b: {x: 1}}', { x: 0 }],
  ['{a: {x: }, b: {x: 1}}', { x: null }],
  ['{a: {x: }, b: {x: {y: 1}}}', { x: null }],
  ['{a: {x: 7}, b: {x: {y: 1}}}', { x: 7 }],
  ['{a: {x: {y: 1}}, b: {x: 7}}', { x: { y: 1 } }],
  ['{a: {x: [1]}, b: {x: [2]}}', { x: [1] }],
  ['{a: {x: {y: {p: 1}}}, b: {x: {y: {p: 2, q: 3}, z: 4}}}', { x: { y: { p: 1, q: 3 }, z: 4 } }],
])('%s', (text, expected) => expect(added(text).a).toEqual(expected));

test('a map comes as a copy: what the next gets does not depend on what this one does', () => {
  const { a, b } = added('{a: {}, b: {x: {y: 1}}}');
  (a['x'] as Mapping)['y'] = 2;
  expect(b).toEqual({ x: { y: 1 } });
});

test('what is added has the place where it was said', () => {
  const { a, b, source } = added('{a: {}, b: {x: {y: 1}, z: 2}}');
  for (const key of ['x', 'z']) {
    expect(source.keyAt(a, key)).toBe(source.keyAt(b, key));
    expect(source.valueAt(a, key)).toBe(source.valueAt(b, key));
  }
  expect(source.keyAt(a, 'z')).not.toBe(0);
  expect(source.valueAt(a['x'] as Mapping, 'y')).toBe(source.valueAt(b['x'] as Mapping, 'y'));
});

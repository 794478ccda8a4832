import { describe, expect, test } from '@jest/globals';
import { LineCounter } from 'yaml';
import { Findings } from '../../../../src/engine/topology/findings.ts';
import { textsOf } from '../../../support/topologies.ts';

/** Of a file whose lines have ten characters. */
function findings(): Findings {
  const lines = new LineCounter();
  for (let line = 0; line < 200; line += 1) lines.addNewLine(line * 10);
  return new Findings(lines);
}

test('have a place in the file, or that of an option', () => {
  const found = findings();
  found.error(0, 'a');
  found.error(23, 'b');
  found.error('--set x', 'c');
  expect(found.errors).toEqual([
    { position: null, message: '--set x: c' },
    { position: { line: 1, column: 1 }, message: 'a' },
    { position: { line: 3, column: 4 }, message: 'b' },
  ]);
});

test('come in the order of the file, and options, in their own order, first', () => {
  const found = findings();
  for (const [origin, message] of [
    [35, 'd'],
    ['--b', 'x'],
    [12, 'b'],
    ['--a', 'y'],
    [31, 'c'],
    [12, 'bb'],
  ] as const)
    found.warn(origin, message);
  expect(textsOf(found.warnings)).toEqual(['--b: x', '--a: y', '2:3 b', '2:3 bb', '4:2 c', '4:6 d']);
  expect(found).toMatchObject({ errors: [], hasErrors: false, errorCount: 0 });
  found.error(0, 'e');
  found.error(0, 'f');
  expect(found).toMatchObject({ hasErrors: true, errorCount: 2 });
  expect(found.warnings).toHaveLength(6);
});

describe('of one kind are at most 100', () => {
  test.each([100, 101, 150])('%i', (count) => {
    const found = findings();
    for (let line = count; line > 0; line -= 1) {
      found.error(line * 10, `e${line}`);
      found.warn(line * 10, `w${line}`);
    }
    expect(found.errorCount).toBe(count);
    const [first, ...others] = textsOf(found.errors);
    expect(first).toBe('2:1 e1');
    expect(others[98]).toBe('101:1 e100');
    expect(others.slice(99)).toEqual(count === 100 ? [] : [`101:1 … and ${count - 100} more errors`]);
    expect(textsOf(found.warnings).slice(100)).toEqual(
      count === 100 ? [] : [`101:1 … and ${count - 100} more warnings`],
    );
  });
});

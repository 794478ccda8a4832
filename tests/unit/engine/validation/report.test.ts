import { expect, test } from '@jest/globals';
import type { LabTest } from '../../../../src/engine/core/lab.ts';
import { Report } from '../../../../src/engine/validation/report.ts';

test('words of a topology change neither the terminal nor what line they are on', () => {
  let printed = '';
  const out = (text: string): void => void (printed += text);
  const report = new Report({ out, err: out }, { isErrorOnly: false, all: [] });
  const description = 'one\r[FAIL] \u001b[2Jtwo\nthree';
  report.begin({ name: 'ping', description, nodes: ['h1'] } as unknown as LabTest);
  expect(printed).toBe('[ping]    one\ufffd[FAIL] \ufffd[2Jtwo\nthree [ node(s): h1 ]\n');
});

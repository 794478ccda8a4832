import { expect, test } from '@jest/globals';
import { sentenceOf } from '../../../../src/labs/drivers/sentence.ts';

const workdir = '/labs/my demo';
const ending = {
  action: 'up',
  workdir,
  cliName: 'netlab',
  exitCode: 1,
  signal: null,
  logTail: '',
} as const;

test('the causes come first, and how it ended is for its own fields, unless no cause is known', () => {
  expect(sentenceOf(ending, ['one', 'two'])).toBe('one; two');
  expect(sentenceOf(ending, [])).toBe('netlab up failed with exit code 1');
});

test('a signal from outside is the first cause', () => {
  const killed = { ...ending, exitCode: null, signal: 'SIGKILL' };
  expect(sentenceOf(killed, [])).toBe('netlab up was ended by signal SIGKILL');
  expect(sentenceOf(killed, ['one'])).toBe('netlab up was ended by signal SIGKILL; one');
  expect(sentenceOf({ ...killed, signal: null }, ['one'])).toBe('netlab up ended in an unknown way; one');
});

test.each([
  [`${workdir}/topology.yml:2:10: no`, 'topology.yml:2:10: no'],
  [`${workdir}/netlab/topology.yml:2:10: no`, 'netlab/topology.yml:2:10: no'],
  [`${workdir}-2/topology.yml:2:10: no`, 'topology.yml:2:10: no'],
  ['/var/lib/lab-api/jobs/job_1/topology.yml:2:10: no', 'topology.yml:2:10: no'],
  ['topology.yml:2:10: no', 'topology.yml:2:10: no'],
  // A path that is no place in a file may be needed whole.
  [`there is no file ${workdir}/topology.yml`, `there is no file ${workdir}/topology.yml`],
  ['/etc/hosts:2: no', '/etc/hosts:2: no'],
])('the place in %j is short', (cause, short) => {
  expect(sentenceOf(ending, ['first', cause])).toBe(`first; ${short}`);
});

test.each([1, 7, 40, 160, 170, 240, 250, 400, 499, 600])(
  'of causes with %i characters, as many as there is room for',
  (length) => {
    const causes = Array.from({ length: 9 }, (_, index) => String(index).repeat(length));
    const text = sentenceOf(ending, causes);
    expect(text.length).toBeLessThanOrEqual(500);
    const [, more] = /; and (\d+) more$/.exec(text) ?? [];
    const told = text.replace(/; and \d+ more$/, '').split('; ');
    // Whole ones, but for a first one that is too long by itself.
    if (length <= 400) expect(told).toEqual(causes.slice(0, 9 - Number(more ?? 0)));
    else expect(text.endsWith('…')).toBe(true);
  },
);

test('exactly 500 characters fit', () => {
  const words = (length: number, count: number) => Array.from({ length: count }, () => 'x'.repeat(length));
  // 2 characters between two of them.
  expect(sentenceOf(ending, [...words(165, 2), 'x'.repeat(166)])).toHaveLength(500);
  expect(sentenceOf(ending, [...words(165, 2), 'x'.repeat(167)])).toMatch(/x; x+; and 1 more$/);
  expect(sentenceOf(ending, ['x'.repeat(501)])).toBe(`${'x'.repeat(499)}…`);
});

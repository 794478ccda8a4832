import { describe, expect, test } from '@jest/globals';
import { tracebackCause } from '../../../../../../src/labs/drivers/netlab/errors/tracebacks.ts';

const start = 'Traceback (most recent call last):';
const frame = (file: string, where: string): string => `  File "${file}", line 7, in ${where}`;
const packages = '/usr/local/lib/python3.11/site-packages';
const remedyFor = (question: string): string => `see to [${question}]`;
const cause = (...lines: readonly string[]) => tracebackCause(lines, remedyFor);

describe('where netlab broke', () => {
  test('is its own last frame', () => {
    const lines = [
      frame('/usr/local/bin/netlab', '<module>'),
      frame(`${packages}/netsim/cli/up.py`, 'run'),
      frame(`${packages}/netsim/augment/nodes.py`, 'transform'),
      '    return nodes[name]',
      frame(`${packages}/box/box.py`, '__getitem__'),
      "KeyError: 'nodes'",
      'more',
    ];
    expect(cause('all is well', start, ...lines)).toEqual([
      "KeyError: 'nodes' (in transform of netsim/augment/nodes.py)",
    ]);
  });

  test('is not said when no frame is its own', () => {
    const lines = [
      frame('/a/b.py', 'run'),
      `    ${frame(`${packages}/netsim/x.py`, 'quoted')}`,
      'ValueError: x',
    ];
    expect(cause(start, ...lines)).toEqual(['ValueError: x']);
  });
});

test('of several tracebacks, the last one counts', () => {
  expect(cause(start, 'KeyError: 1', '', start, frame('/a.py', 'b'), 'ValueError: 2')).toEqual([
    'ValueError: 2',
  ]);
});

test.each<[string, readonly string[]]>([
  ['there is none', ['KeyError: 1']],
  ['it was cut', [start, frame('/a.py', 'b'), '    call()']],
  ['netlab went on, and has an error of its own', [start, 'KeyError: 1', 'Fatal error in up: no']],
])('nothing is said where %s', (_what, lines) => {
  expect(cause(...lines)).toEqual([]);
});

test('an error from before it is old news', () => {
  expect(cause('Fatal error in up: no', start, 'KeyError: 1')).toEqual(['KeyError: 1']);
});

test.each([
  [`  Go on? ${start}`, '"Go on?"', 'Go on?'],
  [start, 'a question', ''],
])('a question that nobody answers is told: %j', (line, quoted, question) => {
  expect(cause('Before? no', line, frame('/a.py', 'b'), 'EOFError: EOF when reading a line')).toEqual([
    `the lab CLI asked ${quoted}, which a job cannot answer; see to [${question}]`,
  ]);
});

import { describe, expect, test } from '@jest/globals';
import {
  tracebackCause,
  yamlCause,
} from '../../../../../../src/labs/drivers/netlab-language/errors/python-errors.ts';

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

describe('a file that is not YAML', () => {
  const words = (text: string, file = 'x.yml'): string =>
    `Fatal error in netlab: Cannot read YAML from ${file}: ${text}`;
  const at = (line: number): string => `  in "/labs/x.yml", line ${line}, column 1`;

  test.each<[string, readonly string[], string]>([
    ['one line', [words('Duplicate section')], 'Duplicate section'],
    [
      'a place',
      [words('mapping values are not allowed here'), at(3)],
      'mapping values are not allowed here, line 3, column 1',
    ],
    [
      'what it was doing, where that began, and what it met',
      [words('while parsing a map'), at(3), 'expected <block end>', at(5)],
      'expected <block end>, line 5, column 1 (while parsing a map, line 3, column 1)',
    ],
    [
      'what it was doing, without where that began',
      [words('while scanning'), "found '\\t'", at(4)],
      "found '\\t', line 4, column 1 (while scanning)",
    ],
    ['other lines below', [words('no'), 'Other words', at(4)], 'no'],
    ['an empty line below', [words('no'), '', at(4)], 'no'],
  ])('%s', (_what, lines, text) => {
    expect(yamlCause(['Created files', ...lines])).toEqual([`x.yml cannot be read as YAML: ${text}`]);
  });

  test('the last file counts', () => {
    expect(yamlCause([words('one', 'a.yml'), words('two', 'b.yml')])).toEqual([
      'b.yml cannot be read as YAML: two',
    ]);
  });

  test('nothing is said of a log that says nothing of it', () => {
    expect(yamlCause(['Cannot read YAML from x.yml', at(3)])).toEqual([]);
    expect(yamlCause([])).toEqual([]);
  });
});

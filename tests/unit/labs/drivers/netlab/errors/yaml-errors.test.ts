import { expect, test } from '@jest/globals';
import { yamlCause } from '../../../../../../src/labs/drivers/netlab/errors/yaml-errors.ts';

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
])('%s', (_what, lines, cause) => {
  expect(yamlCause(['Created files', ...lines])).toEqual([`x.yml cannot be read as YAML: ${cause}`]);
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

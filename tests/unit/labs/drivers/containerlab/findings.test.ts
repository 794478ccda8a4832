/** As containerlab 0.79 prints the mistakes of a topology. */
import { expect, test } from '@jest/globals';
import { findingsIn } from '../../../../../src/labs/drivers/containerlab/findings.ts';

const failure = (...lines: readonly string[]): string =>
  ['13:06:38 INFO Containerlab started version=0.79.0', '', '   ERROR', '', ...lines, ''].join('\n');
const error = (line: number, text: string) => ({ severity: 'error', text, line });
const notes = '  Consult with release notes to see if any fields were changed/removed.';

test.each([
  [
    'each field that is unknown, also where a line was broken',
    failure(
      '  Failed to read topology file: yaml: unmarshal errors:',
      '    line 6: field imagee not found in type types.NodeDefinitionWithDeprecatedFields',
      '    line 14: field endpoint not found in type struct { Type string "yaml:\\"type\\""; links.LinkBriefRaw',
      '  "yaml:\\",inline\\"" }',
      notes,
    ),
    [error(6, 'field imagee not found'), error(14, 'field endpoint not found')],
  ],
  [
    'a text that is no YAML',
    failure(
      '  Failed to read topology file: yaml: line 3: found character that cannot start any token',
      notes,
    ),
    [error(3, 'found character that cannot start any token')],
  ],
  [
    'a key that is there twice',
    failure(
      '  Failed to read topology file: yaml: unmarshal errors:',
      '    line 5: key "a" already set in map',
      notes,
    ),
    [error(5, 'key "a" already set in map')],
  ],
  ['no line of another mistake', failure('  Failed to verify bind path: stat nofile: line 3: gone'), []],
])('%s', (...[, output, findings]) => {
  expect(findingsIn(output, true)).toEqual(findings);
  expect(findingsIn(output, false)).toEqual([]);
});

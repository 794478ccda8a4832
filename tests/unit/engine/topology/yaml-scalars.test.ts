import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseDocument } from 'yaml';
import { withNetlabScalars } from '../../../../src/engine/topology/yaml-scalars.ts';
import { netlab } from '../../../support/netlab-oracle.ts';

/** The values that PyYAML 6.0.3 reads from words, with the loader of netlab 26.10. */
const scalars: readonly (readonly [string, unknown])[] = [
  ...['on', 'On', 'ON', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['off', 'Off', 'no', 'NO', 'false', 'False'].map((word) => [word, false] as const),
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...`y Y n N oN nULL e1 E2 e10 .e1 1e 1e2 1e+2 1.0e2 1.e1 .e+1 .5e3
     0X1f 0x 0o10 08 0b 0b2 12:60 . + _1 -.5 +.5 1.2.3 10.9.0.0/24 .inF 2001:db8::1`
    .split(/\s+/)
    .map((word) => [word, word] as const),
  ['0', 0],
  ['-1', -1],
  ['+1', 1],
  ['0x1f', 31],
  ['010', 8],
  ['0777', 511],
  ['0b11', 3],
  ['1_000', 1000],
  ['1_', 1],
  ['12:30', 750],
  ['.5', 0.5],
  ['5.', 5],
  ['1.e+2', 100],
  ['.5e-3', 0.0005],
  ['1:2.5', 62.5],
  ['.inf', Infinity],
  ['-.inf', -Infinity],
  ['.nan', NaN],
];

const read = (text: string): unknown =>
  parseDocument(text, { version: '1.1', customTags: withNetlabScalars }).toJS();

test.each(scalars)('%s', (word, value) => {
  expect(read(word)).toEqual(value);
  // In lists, as keys' values and in quotes.
  expect(read(`[${word}, "${word}"]`)).toEqual([value, word]);
  expect(read(`a: ${word}`)).toEqual({ a: value });
});

const isHere = netlab.missing === undefined;
(isHere ? test : test.skip)(`netlab reads the same${isHere ? '' : ` (skipped: ${netlab.missing})`}`, () => {
  // The Python that netlab runs in is named in the first line of the program.
  const [shebang = ''] = readFileSync(realpathSync(netlab.file), 'utf8').split('\n');
  const program = `import sys, json
from netsim.utils.read import read_yaml
print(json.dumps([read_yaml(string='a: ' + word).a for word in json.load(sys.stdin)]))`;
  const words = scalars.map(([word]) => word);
  const said = execFileSync(shebang.slice(2), ['-c', program], {
    input: JSON.stringify(words),
    encoding: 'utf8',
  });
  // JSON has no infinities: Python writes them as words.
  const seen = JSON.parse(said.replaceAll(/-?Infinity|NaN/g, '"$&"')) as unknown[];
  const expected = scalars.map(([, value]) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
  expect(seen).toEqual(expected);
});

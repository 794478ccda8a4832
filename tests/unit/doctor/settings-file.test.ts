import { describe, expect, test } from '@jest/globals';
import { parseEnv } from 'node:util';
import { checkSettingsFile } from '../../../src/doctor/settings-file.ts';
import { readings } from '../../support/readings.ts';

const isGood = (content: string): boolean => checkSettingsFile(content).every(({ kind }) => kind === 'ok');

describe('compared with the recorded readers', () => {
  const areSame = ({ systemd, node, compose }: (typeof readings)[number]): boolean =>
    [node, compose].every((other) => JSON.stringify(other) === JSON.stringify(systemd));

  test('reports every file that they read differently', () => {
    const missed = readings.filter((reading) => !areSame(reading) && isGood(reading.text));
    expect(missed).toEqual([]);
  });

  test('reports few files that they read alike', () => {
    const needless = readings.filter((reading) => areSame(reading) && !isGood(reading.text));
    expect(needless.map(({ text }) => text)).toEqual([
      'A=a$\n',
      'A=cost$5\n',
      'A=$(id)\n',
      'A\n',
      'A="x\ny"\n',
    ]);
  });
});

test('accepts no value that Node reads in another way, or that hides the next line', () => {
  const signs = ['a', ' ', "'", '"', '`', '#', '$', '\\', '='];
  const values = signs.flatMap((one) =>
    signs.flatMap((two) => signs.flatMap((three) => signs.map((four) => `${one}${two}${three}${four}`))),
  );
  const accepted = values.filter((value) => isGood(`A=${value}\n`));
  expect(accepted.length).toBeGreaterThan(500);
  for (const value of accepted) {
    const unquoted = value.trim().replace(/^(['"])([^]*)\1$/, '$2');
    expect(parseEnv(`A=${value}\nB=1\n`)).toMatchObject({ A: unquoted, B: '1' });
  }
});

test.each([
  ['LAB_API_PORT=8090\r\nLAB_API_PASSWORD=0123abcd\r\n'],
  ["LAB_API_PASSWORD='a #b $c \\d'\n"],
  ["# don't\n\n"],
])('%j is good', (content) => {
  expect(checkSettingsFile(content)).toEqual([
    { kind: 'ok', detail: 'systemd, Node and Compose read the same values' },
  ]);
});

test('names the line, the variable and the remedy', () => {
  const quoted = (name: string) =>
    `write ${name}='value' on one line, without ' in the value and text after it`;
  expect(checkSettingsFile('A=1\nB=a#b\nC=2\nD=a$b\nexport E=1\nexport F=a#b\n; G\n')).toEqual(
    [
      ['line 2', 'B', quoted('B')],
      ['line 4', 'D', quoted('D')],
      ['line 5', 'E', 'remove "export" before E'],
      ['line 6', 'F', quoted('F')],
      ['line 7', 'this line', quoted('NAME')],
    ].map(([line, name, remedy]) => ({
      kind: 'warning',
      detail: `${line}: systemd, Node and Compose may read ${name} differently, or refuse it`,
      remedy,
    })),
  );
});

test.each(["A='a\\'", 'A=a\u0000', 'A=a\rb', 'A=a\u000b', '\u00a0A=1', 'A=\u00a0a', '# c\\'])(
  '%j is not good',
  (line) => expect(isGood(`${line}\n`)).toBe(false),
);

test.each([
  'sesame#1',
  '"a"sesame=b',
  "'a\\'sesame'=1",
  '"a\\"sesame"',
  '"sesame',
  '"a\nsesame=1"',
  "'a\nsesame=1'",
  '`a\nsesame=1`',
  'a\\\nsesame=#1',
  '"a\\"\nsesame=#1"',
])('does not print a part of the secret %j, and names its file as a remedy', (secret) => {
  const findings = checkSettingsFile(`LAB_API_PASSWORD=${secret}\n`);
  expect(JSON.stringify(findings)).not.toContain('sesame');
  expect(findings).toEqual([
    {
      kind: 'warning',
      detail: expect.stringMatching(/^line 1: .* LAB_API_PASSWORD /),
      remedy: expect.stringContaining('LAB_API_PASSWORD_FILE'),
    },
  ]);
});

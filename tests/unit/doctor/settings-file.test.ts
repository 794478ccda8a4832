import { describe, expect, test } from '@jest/globals';
import { parseEnv } from 'node:util';
import { interpolated, readAsCompose } from '../../../src/doctor/read-as-compose.ts';
import { readAsSystemd } from '../../../src/doctor/read-as-systemd.ts';
import { checkSettingsFile } from '../../../src/doctor/settings-file.ts';
import { readings } from '../../support/readings.ts';

describe.each(readings)('$text', ({ text, systemd, node, compose }) => {
  test('as systemd reads it', () => expect(Object.fromEntries(readAsSystemd(text))).toEqual(systemd));

  test('as Node reads it', () => expect({ ...parseEnv(text) }).toEqual(node));

  test('as Compose reads it', () => {
    const reading = readAsCompose(text);
    if (compose === 'refused' || reading.kind === 'refused') {
      // A brace that nobody closes is found when a value is put in; that is not what we look at.
      if (/\$\{[^}]*$/.test(text)) return expect(reading.kind).toBe('read');
      return expect([compose, reading.kind]).toEqual(['refused', 'refused']);
    }
    const known = [...reading.values].filter(([, value]) => value !== interpolated);
    expect(compose).toMatchObject(Object.fromEntries(known));
    expect(Object.keys(compose)).toEqual([...reading.values.keys()]);
    for (const [name] of [...reading.values].filter(([, value]) => value === interpolated))
      expect(text).not.toContain(`${name}=${compose[name]}\n`);
  });
});

describe('what the doctor says of a file', () => {
  const said = (content: string): string[] =>
    checkSettingsFile(content).map((finding) => `${finding.kind}: ${finding.detail}`);

  test.each([
    ['LAB_API_PORT=8090\nLAB_API_PASSWORD=0123abcd\n'],
    ["LAB_API_PASSWORD='a #b $c \\d'\n"],
    ['# a comment\n\n'],
  ])('well: %j', (content) => {
    expect(said(content)).toEqual(['ok: systemd, Node and Compose read the same values']);
  });

  test.each([
    ['LAB_API_PASSWORD=a#b\n', 'Node reads another value of LAB_API_PASSWORD than systemd and Compose'],
    ['LAB_API_PASSWORD=a$b\n', 'Compose reads another value of LAB_API_PASSWORD than systemd and Node'],
    ['LAB_API_PASSWORD=a\\b\n', 'systemd reads another value of LAB_API_PASSWORD than Node and Compose'],
    [
      'LAB_API_PASSWORD=a\\$b\n',
      'every one of systemd, Node and Compose reads another value of LAB_API_PASSWORD',
    ],
    ['export LAB_API_PORT=1\n', 'systemd does not find LAB_API_PORT, as Node and Compose can'],
    ['LAB_API_PORT: 1\n', 'only Compose finds LAB_API_PORT'],
  ])('%j', (content, detail) => expect(said(content)).toEqual([`warning: ${detail}`]));

  test('"export" is the reason, not the value', () => {
    expect(checkSettingsFile('export LAB_API_USER=ops\n')).toMatchObject([
      { kind: 'warning', remedy: 'drop "export" before LAB_API_USER' },
    ]);
  });

  test('every variable that differs, and no other', () => {
    expect(said('A=1\nB=a#b\nC=2\nD=a$b\n')).toEqual([
      expect.stringContaining('value of B'),
      expect.stringContaining('value of D'),
    ]);
  });

  test('a file that Compose refuses, and where systemd and Node differ in it', () => {
    expect(said('A=1\nB="a\\nb\n')).toEqual([
      'warning: Compose refuses the file because of line 2',
      expect.stringContaining('value of B'),
    ]);
  });

  test('a secret is not printed, nor what a reader takes for a name in it, and its file is a remedy', () => {
    for (const secret of ['sesame#1', '"a"sesame=b', "'a\\'sesame'=1", '"a\\"sesame"', '"sesame']) {
      const findings = checkSettingsFile(`LAB_API_PASSWORD=${secret}\n`);
      expect(findings).not.toEqual([]);
      expect(JSON.stringify(findings)).not.toMatch(/sesame/);
      expect(findings.at(-1)).toMatchObject({
        kind: 'warning',
        remedy: expect.stringContaining('LAB_API_PASSWORD_FILE'),
      });
    }
  });
});

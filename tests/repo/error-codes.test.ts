import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { errorCodes, errorSpec } from '../../src/lib/error-codes.ts';
import { repoRoot } from '../support/repo-files.ts';

test('docs/api.md lists every error code in the row of its status, and no other', () => {
  const page = readFileSync(path.join(repoRoot, 'docs', 'api.md'), 'utf8');
  const [, section = ''] = page.split('\n## Errors\n');
  // | 400 | `invalid-request`, `invalid-json` | note |
  const rows = [...section.matchAll(/^\| (\d{3}) +\| ([^|]+) \|/gm)];
  const listed = rows.flatMap(([, status, codes = '']) =>
    codes
      .trim()
      .split(', ')
      .map((code) => [code.replace(/^`([a-z-]+)`$/, '$1'), Number(status)] as const),
  );
  expect(new Set(listed.map(([code]) => code)).size).toBe(listed.length);
  const known = errorCodes.map((code) => [code, errorSpec(code).status]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { statusOfCode } from '../../src/http/reply/problem.ts';
import { repoRoot } from '../support/repo-files.ts';

test('docs/api.md explains every error code with its status, and no other', () => {
  const page = readFileSync(path.join(repoRoot, 'docs', 'api.md'), 'utf8');
  const [, section = ''] = page.split('\n## Errors\n');
  const rows = [...section.matchAll(/^\| `([a-z-]+)` +\| (\d{3}) /gm)];
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(statusOfCode);
});

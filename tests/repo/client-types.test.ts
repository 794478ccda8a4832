/** The types of the client are made from the document of the API, which is made from the table of routes. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repoRoot } from '../support/repo-files.ts';

test('src/client/api-types.ts is what scripts/client-types.mjs makes of docs/openapi.json', () => {
  const script = path.join(repoRoot, 'scripts', 'client-types.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

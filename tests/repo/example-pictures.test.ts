/** The pictures in the documentation are as the service draws them. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repoRoot } from '../support/repo-files.ts';

test('docs/*.svg are what scripts/example-pictures.mjs draws', () => {
  const script = path.join(repoRoot, 'scripts', 'example-pictures.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

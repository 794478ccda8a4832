import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { repoRoot } from '../support/repo-files.ts';

const directory = path.join(repoRoot, 'scripts');
/** Programs, except for the one that stands for containerlab and only says that it is not there. */
const scripts = execFileSync('find', [directory, '-maxdepth', '1', '-type', 'f', '-perm', '-u+x'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .map((file) => path.basename(file))
  .filter((name) => name !== 'no-containerlab.sh');

test.each(scripts)('scripts/%s says in one sentence that it does not know an option', (name) => {
  const { status, stderr } = spawnSync(path.join(directory, name), ['--fly'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain('--fly');
  // The usage may follow; a stack trace may not.
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each(scripts)('scripts/%s --help says what it does', (name) => {
  const { status, stdout } = spawnSync(path.join(directory, name), ['--help'], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout.trim().length).toBeGreaterThan(60);
  expect(stdout).not.toMatch(/^(\/\/|import )/m);
});

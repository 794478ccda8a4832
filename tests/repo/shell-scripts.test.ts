/** What is written for a shell: the scripts, the programs of the tests, and what continuous integration runs. */
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repoFiles, repoRoot } from '../support/repo-files.ts';
import { requirement } from '../support/requirements.ts';

const shellOf = (file: string): string | undefined =>
  /^#!\S*\/(?:env )?((?:ba)?sh)\n/.exec(readFileSync(path.join(repoRoot, file), 'utf8'))?.[1];

const files = ['scripts', 'packaging', 'examples', 'tests/fixtures', 'tests/support', '.ci']
  .flatMap((folder) => repoFiles(folder))
  .filter((file) => shellOf(file) !== undefined);

test.each(files)('%s is understood by its shell', (file) => {
  const { stderr } = spawnSync(shellOf(file)!, ['-n', path.join(repoRoot, file)], { encoding: 'utf8' });
  expect(stderr).toBe('');
});

describe('shellcheck', () => {
  const { missing, file: shellcheck } = requirement('shellcheck');
  const people = files.filter((file) => !file.startsWith('tests'));
  const because = missing === undefined ? '' : ` (skipped: ${missing})`;

  // Below a warning it advises against `a && b || fail` and against a `$` meant for the reader.
  (missing === undefined ? test : test.skip).each(people)(`has nothing against %s${because}`, (file) => {
    const { stdout } = spawnSync(shellcheck, ['--severity=warning', file], {
      cwd: repoRoot,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });
});

/** The workflows of GitHub, which run nowhere else: two programs read them. */
import { expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';

for (const { name, args } of [
  { name: 'actionlint', args: ['-no-color'] },
  // Permissions, pinned actions, and words of strangers in scripts. Without the network.
  { name: 'zizmor', args: ['--offline', '--quiet', '--min-severity', 'medium', '.github/workflows'] },
]) {
  const { missing, file } = requirement(name);
  const { it, because } = testUnless(missing);

  it(`${name} has nothing against .github/workflows${because}`, () => {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: repoRoot, encoding: 'utf8' });
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
}

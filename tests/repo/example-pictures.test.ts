/** The pictures in the documentation are as the service draws them. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { leftOut } from '../support/thorough.ts';

function check(searched: string | undefined) {
  const script = path.join(repoRoot, 'scripts', 'example-pictures.mjs');
  const env = { ...process.env, PATH: searched };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], {
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

test('docs/pictures/*.svg are what scripts/example-pictures.mjs draws; those that need netlab are left out without it', () => {
  const stdout = expect.stringMatching(/^netlab is not on PATH: the pictures of bgp, .* are left out\n$/);
  expect(check('/nowhere')).toEqual({ status: 0, stdout, stderr: '' });
});

const { because, it } = testUnless(requirement('netlab').missing ?? leftOut);

it(`docs/pictures/*.svg of the labs of netlab are as well${because}`, () => {
  expect(check(process.env['PATH'])).toEqual({ status: 0, stdout: '', stderr: '' });
}, 300_000);

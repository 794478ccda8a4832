/** `npm run demo` on a bare machine: without `ping` it shows packets all the same, without `ip` it says so at once. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const missing = missingForAnyLabs();
const root = temporaryDirectory();

/** A directory for PATH with every program of this machine but these. */
function programsWithout(...names: readonly string[]): string {
  const directory = path.join(root, `without-${names.join('-')}`);
  mkdirSync(directory);
  const all = ['/usr/bin', '/usr/sbin'].flatMap((from) => readdirSync(from).map((name) => [from, name]));
  for (const [from = '', name = ''] of all) {
    const link = path.join(directory, name);
    if (!names.includes(name) && !existsSync(link)) symlinkSync(path.join(from, name), link);
  }
  return directory;
}

function run(script: string, PATH: string): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, PATH };
  return spawnSync(process.execPath, [path.join(repoRoot, script)], { encoding: 'utf8', env });
}

(missing === undefined ? test : test.skip)(
  `without ping, packets go from host to host${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const { status, stdout, stderr } = run('scripts/demo.mjs', programsWithout('ping'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.match(/^"packet \d" came back from h2 \(172\.16\.1\.5\) after [\d.]+ ms$/gm)).toHaveLength(
      3,
    );
    expect(stdout).toContain('That was it.');
  },
);

test('without ip, it says so before anything is built', () => {
  const { status, stdout, stderr } = run('scripts/demo/requirements.mjs', programsWithout('ip'));
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'demo: not on PATH: ip. Install iproute2, and run it again.\n',
  });
  const { scripts } = JSON.parse(readFileSync(path.join(repoRoot, 'package.json'), 'utf8')) as {
    scripts: { demo: string };
  };
  expect(scripts.demo).toMatch(/^node scripts\/demo\/requirements\.mjs && /);
});

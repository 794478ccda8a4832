/** What docs/engine.md shows is what happens. */
import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, lab, leftovers, missingForAnyLabs } from '../support/engine-cli.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const missing = missingForAnyLabs();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

const instance = String(freeInstanceNumber());

// Before the directory is removed: hooks run in the order in which they are registered.
afterAll(async () => {
  await lab(where, ['down', '--force', '--instance', instance]);
});

const root = temporaryDirectory();
const where = { home: path.join(root, 'home'), directory: path.join(root, 'office') };
mkdirSync(where.directory);

function block(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(
    readFileSync('docs/engine.md', 'utf8'),
  );
  return found?.[1] ?? '';
}

it(`the commands of docs/engine.md run on its topology, one by one, and leave nothing${because}`, () => {
  writeFileSync(path.join(where.directory, 'topology.yml'), block('yaml'));
  // With an instance of our own: another lab may have the default one on this machine.
  const program = `#!/bin/sh
if [ "$1" = up ]; then set -- "$@" --plugin multilab --set defaults.multilab.id=${instance}; fi
exec "${process.execPath}" "${path.resolve('dist/main.js')}" "$@"
`;
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'lab'), program);
  chmodSync(path.join(bin, 'lab'), 0o755);
  const env = {
    ...process.env,
    LAB_API_CLI: 'engine',
    LAB_HOME: where.home,
    PATH: `${bin}:${process.env['PATH']}`,
  };

  const said = execFileSync('sh', ['-euxc', block('sh')], {
    cwd: where.directory,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(said).toMatch(/^Creating 3 nodes\n.* is up: 3 nodes, 2 links/ms);
  expect(said).toMatch(/│ r1 .* Up +│/);
  expect(said).toContain('1 received');
  expect(said).toContain('172.16.1.0/24 dev eth2');
  expect(said).toContain('office.tar.gz');
  expect(leftovers(where, instance)).toEqual([]);
  expect(readdirSync(where.directory).toSorted()).toEqual(['office.tar.gz', 'topology.yml']);
});

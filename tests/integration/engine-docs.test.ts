/** The commands in docs/engine.md have the output that the page shows. */
import { expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, leftovers, missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });
const instance = String(freeInstanceNumber());
const where = { home, directory: path.join(root, 'office') };
mkdirSync(where.directory);
takeDownLater({ where, instance });

function block(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(
    readFileSync('docs/engine.md', 'utf8'),
  );
  return found?.[1] ?? '';
}

it(`the commands of docs/engine.md run on its topology, one by one, and leave nothing${because}`, () => {
  writeFileSync(path.join(where.directory, 'topology.yml'), block('yaml'));
  // With an instance of our own: another lab may have the default one on this machine. And with packets to capture, which an
  // idle link has once in many seconds; `lab down` ends them.
  const program = `#!/bin/sh
case $1 in
  up) set -- "$@" --plugin multilab --set defaults.multilab.id=${instance} ;;
  capture) "$0" exec h1 ping -i 0.2 h2 >/dev/null 2>&1 & ;;
esac
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
  expect(readdirSync(where.directory).toSorted()).toEqual(['office.tar.gz', 'r1.pcap', 'topology.yml']);
});

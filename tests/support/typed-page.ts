/** Pages of documentation that a test types into one shell, block by block, against the built program with the bundled engine. */
import { test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { missingForAnyLabs } from './engine-cli.ts';
import { repoRoot } from './repo-files.ts';
import { requirement } from './requirements.ts';
import { missingForSandbox, sandboxed } from './sandbox.ts';
import { builtProgram } from './service.ts';

interface Block {
  /** The heading above it. */
  readonly title: string;
  readonly commands: string;
  readonly needs: readonly string[];
}

/** Why nothing can be typed here; undefined when it can. */
export function missingForTyping(...programs: readonly string[]): string | undefined {
  const lacks = ['bash', 'curl', ...programs].map((name) => requirement(name).missing);
  return missingForAnyLabs() ?? missingForSandbox() ?? lacks.find((lack) => lack !== undefined);
}

/** The `sh` blocks of a page. A block names the programs that not every machine has: ```sh needs=jq,openssl. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(path.join(repoRoot, page), 'utf8');
  let heading = '';
  const parts = text.matchAll(/^#{1,3} ([^\n]+)$|^```sh(?: needs=(\S+))?\n(.*?)^```/gms);
  return [...parts].flatMap(([, title, needs = '', commands]) => {
    heading = title ?? heading;
    return commands === undefined
      ? []
      : [{ title: heading, commands, needs: needs.split(',').filter(Boolean) }];
  });
}

/** The commands of the blocks below a heading. */
export function commandsBelow(heading: string, page: string): string[] {
  return blocksOf(page).flatMap(({ title, commands }) => (title === heading ? [commands] : []));
}

/** The blocks that can be typed here. A skipped test names each of the others, and what it lacks. */
export function typableOf(blocks: readonly Block[], ...never: readonly string[]): Block[] {
  const lackOf = ({ needs }: Block): string | undefined =>
    needs.find((name) => never.includes(name) || requirement(name).missing !== undefined);
  for (const block of blocks.filter((one) => lackOf(one) !== undefined))
    test.skip(`a block of "${block.title}" is left out (skipped: it needs ${lackOf(block)})`, () =>
      undefined);
  return blocks.filter((block) => lackOf(block) === undefined);
}

/** The service in the background, until it answers. */
export function inBackground(commands: string, url = 'http://127.0.0.1:8090'): string {
  return `{ ${commands.trimEnd()}\n} >service.log 2>&1 &
command curl -sSk -o healthz --retry 30 --retry-delay 1 --retry-connrefused ${url}/healthz 2>retries`;
}

/** Types a script in a directory that looks like the repository, on a machine where every port is free, with `lab` on PATH. */
export function typeInto(directory: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const bin = path.join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['examples', 'docs'])
    cpSync(path.join(repoRoot, name), path.join(directory, name), { recursive: true });
  symlinkSync(path.dirname(builtProgram), path.join(directory, 'dist'));
  symlinkSync(builtProgram, path.join(bin, 'lab'));
  const [file, ...args] = sandboxed('bash', '--norc', '-euo', 'pipefail', '-c', script);
  const home = path.join(directory, 'home');
  return spawnSync(file, args, {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: home, LAB_API_CLI: 'engine', ...env },
  });
}

/** A namespace that cannot be deleted: the engine says so, and goes on knowing that it is ours. */
import { describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lab, leftovers, type Place } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement } from '../support/requirements.ts';

const { because, it, prepared, root } = preparedLabs();
const links = [['h1', 'r1'] as const];

const claimed = (instance: string): string[] => {
  const file = `/run/lab-engine/${instance}/claim.json`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { names: string[] }).names : [];
};
const registered = ({ home }: Place): string[] =>
  Object.keys(JSON.parse(readFileSync(path.join(home, 'status.json'), 'utf8')) as object);

describe('a namespace that cannot be deleted', () => {
  it(`fails "down", which keeps the claim on it; the next "down" removes it${because}`, async () => {
    const { where, instance } = prepared('stuck', { links });
    expect((await lab(where, ['up', '--snapshot'])).exitCode).toBe(0);
    const name = `lab-${instance}-r1`;
    // Mounted once more on its own name: "ip netns del" takes one mount away, and then cannot remove the file.
    execFileSync('sh', ['-euc', 'mount --bind "$0" "$0"', `/run/netns/${name}`]);

    const first = await lab(where, ['down']);
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toContain(`namespace ${name} could not be deleted\n`);
    expect(first.stderr).toContain('could not stop the lab completely');
    expect(claimed(instance)).toContain(name);
    expect(registered(where)).toContain(instance);

    expect(await lab(where, ['down'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(leftovers(where, instance)).toEqual([]);
    expect(claimed(instance)).toEqual([]);
  });

  it(`is left by the undo of an "up" with a warning; "down" knows of it${because}`, async () => {
    const { where, instance } = prepared('undo', { links });
    // An `ip` that makes namespaces, and neither links nor room.
    const bin = path.join(root, 'bin');
    mkdirSync(bin);
    const ip = `#!/bin/sh
input=$(cat)
case $input in
  'netns add'*) printf '%s\\n' "$input" | ${requirement('ip').file} "$@" ;;
  'netns del'*) exit 0 ;;
  *) echo 'RTNETLINK answers: No' >&2; exit 1 ;;
esac
`;
    writeFileSync(path.join(bin, 'ip'), ip);
    chmodSync(path.join(bin, 'ip'), 0o755);

    const up = await lab(where, ['up', '--snapshot'], ['env', `PATH=${bin}:${process.env['PATH']}`]);
    expect(up.exitCode).toBe(1);
    expect(up.stderr).toContain('Removing the incomplete lab\n');
    for (const node of ['h1', 'r1']) {
      expect(up.stderr).toContain(`Warning: namespace lab-${instance}-${node} could not be deleted\n`);
      expect(claimed(instance)).toContain(`lab-${instance}-${node}`);
    }
    expect(up.stderr).toContain('cannot create the links of the lab');
    expect(registered(where)).toContain(instance);

    expect(await lab(where, ['down'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(leftovers(where, instance)).toEqual([]);
  });
});

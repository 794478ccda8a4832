import { beforeEach, describe, expect, test } from '@jest/globals';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../../src/engine/core/engine-error.ts';
import { readSnapshot, writeSnapshot } from '../../../../src/engine/lab/snapshot.ts';
import { handMadeLab, triangle } from '../../../support/engine-lab.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'lab-'));
});

describe('a snapshot', () => {
  const lab = handMadeLab({ links: triangle, ipv6: true });

  test('gives back the lab that was written', async () => {
    await writeSnapshot(directory, lab);
    expect(await readSnapshot(directory)).toEqual(lab);
  });

  test('replaces a symbolic link of its name, and is not written through it', async () => {
    const precious = path.join(directory, 'precious.txt');
    const file = path.join(directory, 'lab.snapshot.json');
    writeFileSync(precious, 'mine');
    symlinkSync(precious, file);
    await writeSnapshot(directory, lab);
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(lstatSync(file).isSymbolicLink()).toBe(false);
    expect(await readSnapshot(directory)).toEqual(lab);
  });

  test('that is missing or broken is an error that says what to do', async () => {
    await expect(readSnapshot(directory)).rejects.toThrow('give a topology file, or run "lab create" first');
    writeFileSync(path.join(directory, 'lab.snapshot.json'), '{');
    await expect(readSnapshot(directory)).rejects.toThrow('is not a snapshot of a lab');
  });

  test('that cannot be read has another error than one that is missing', async () => {
    mkdirSync(path.join(directory, 'lab.snapshot.json'));
    await expect(readSnapshot(directory)).rejects.toThrow(/^cannot read the snapshot: /);
  });

  test('that is broken causes an error that names every wrong field', async () => {
    writeFileSync(path.join(directory, 'lab.snapshot.json'), JSON.stringify({ ...lab, name: 7, links: 'x' }));
    const error: unknown = await readSnapshot(directory).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EngineError);
    const { details } = error as EngineError;
    expect(details.join('\n')).toMatch(/at name\n[^]*at links$/);
  });

  test('may have another name', async () => {
    writeFileSync(path.join(directory, 'other.json'), JSON.stringify(lab));
    expect(await readSnapshot(directory, 'other.json')).toEqual(lab);
  });

  test.each([
    ['a node', { nodes: [{ ...lab.nodes[0]!, name: 'x; reboot' }] }],
    ['an instance', { instance: '../..' }],
    ['an address', { nodes: [{ ...lab.nodes[0]!, loopback: { ipv4: '1.2.3.4/32\nnetns del x' } }] }],
    ['a route', { nodes: [{ ...lab.nodes[0]!, routes: [{ to: 'default', via: '$(x)' }] }] }],
    ['an interface', { links: [{ ...lab.links[0]!, ends: [{ node: 'r1', ifname: 'eth1 up' }] }] }],
  ])('in which %s would become a command is refused', async (_what, change) => {
    writeFileSync(path.join(directory, 'lab.snapshot.json'), JSON.stringify({ ...lab, ...change }));
    await expect(readSnapshot(directory)).rejects.toThrow('is not a snapshot of a lab');
  });
});

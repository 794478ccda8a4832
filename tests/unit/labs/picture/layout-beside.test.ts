import { expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { containerlab } from '../../../../src/labs/drivers/containerlab/containerlab.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import type { JobUser } from '../../../../src/labs/program/job-user.ts';
import { LayoutBeside } from '../../../../src/labs/picture/layout-beside.ts';
import { container } from '../../../support/containerlab-recorded.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const asRoot = process.getuid?.() === 0 ? test : test.skip;
const text = '{"nodeAnnotations":[{"id":"r1","position":{"x":1,"y":2}}]}';
const nobody: JobUser = {
  name: 'nobody',
  uid: 65_534,
  gid: 65_534,
  home: '/',
  commandPrefix: [],
  programs: [],
};

/** A lab with such a file, in a directory of its own. */
function lab(runAs?: JobUser, driver: typeof netlab = containerlab, roots: readonly string[] = []) {
  const directory = mkdtempSync(path.join(root, 'lab-'));
  const file = path.join(directory, 'demo.clab.yml.annotations.json');
  writeFileSync(path.join(directory, 'demo.clab.yml'), 'name: demo\n');
  writeFileSync(file, text, { mode: 0o640 });
  const entry = { name: 'demo', containers: [container('r1', directory, 'demo')] };
  const status = { labIn: () => Promise.resolve({ instance: 'demo', entry }) };
  const beside = new LayoutBeside({ driver: () => driver, status, roots: new AllowedRoots(roots), runAs });
  return { directory, file, beside };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // It was closed since the list was made: that of the list itself, for one.
    return '';
  }
}

const moved = { r1: { x: 7, y: 8 } };
const always = (): boolean => true;

test('a lab CLI without such files has none', async () => {
  const { beside, directory, file } = lab(undefined, netlab);
  expect(await beside.read(directory)).toBeUndefined();
  expect(await beside.write(directory, moved, always)).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the file keeps its mode', async () => {
  const { beside, directory, file } = lab();
  expect(await beside.write(directory, moved, always)).toEqual(moved);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(await beside.read(directory)).toEqual(moved);
});

test('a file that says the same already is not written, and nothing is left open', async () => {
  const { beside, directory, file } = lab();
  const { ino } = statSync(file);
  const there = { r1: { x: 1, y: 2 } };
  expect(await beside.write(directory, there, always)).toEqual(there);
  expect(statSync(file).ino).toBe(ino);
  const open = readdirSync('/proc/self/fd').map((fd) => targetOf(`/proc/self/fd/${fd}`));
  expect(open.filter((target) => target === directory)).toEqual([]);
});

test('a file outside of what is allowed is not read, nor one that a link leads to', async () => {
  const outside = lab(undefined, containerlab, ['/etc']);
  expect(await outside.beside.read(outside.directory)).toBeUndefined();
  const { beside, directory, file } = lab();
  renameSync(file, path.join(root, 'elsewhere.json'));
  symlinkSync(path.join(root, 'elsewhere.json'), file);
  expect(await beside.read(directory)).toBeUndefined();
});

test('a file with bytes that are no UTF-8 is left alone, for they could not be written back', async () => {
  const { beside, directory, file } = lab();
  const bytes = Buffer.from(text.replace('"r1"', '"r1","label":"caf\u00e9"'), 'latin1');
  writeFileSync(file, bytes);
  expect(await beside.write(directory, moved, always)).toBeUndefined();
  expect(readFileSync(file)).toEqual(bytes);
});

test('a status that cannot be told leaves it alone', async () => {
  const { directory, file } = lab();
  const status = { labIn: () => Promise.reject(new Error('the status cannot be told')) };
  const roots = new AllowedRoots([]);
  const beside = new LayoutBeside({ driver: () => containerlab, status, roots, runAs: undefined });
  expect(await beside.write(directory, moved, always)).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe(text);
});

asRoot('where jobs run as another user, root writes nothing that he could not have written', async () => {
  const { beside, directory, file } = lab(nobody);
  expect(await beside.write(directory, moved, always)).toEqual({ r1: { x: 1, y: 2 } });
  expect(readFileSync(file, 'utf8')).toBe(text);
  // Like /tmp: anybody makes files there, and nobody replaces those of others.
  chmodSync(directory, 0o1777);
  expect(await beside.write(directory, moved, always)).toEqual({ r1: { x: 1, y: 2 } });
  // Its group may not write, or it is not his.
  chownSync(directory, 0, nobody.gid);
  chmodSync(directory, 0o750);
  expect(await beside.write(directory, moved, always)).toEqual({ r1: { x: 1, y: 2 } });
  chownSync(directory, 0, 0);
  chmodSync(directory, 0o770);
  expect(await beside.write(directory, moved, always)).toEqual({ r1: { x: 1, y: 2 } });
  chownSync(directory, 0, nobody.gid);
  expect(await beside.write(directory, moved, always)).toEqual(moved);
  chownSync(directory, 0, 0);
  chmodSync(directory, 0o777);
  expect(await beside.write(directory, { r1: { x: 3, y: 4 } }, always)).toEqual({ r1: { x: 3, y: 4 } });
  chownSync(directory, nobody.uid, 0);
  chownSync(file, nobody.uid, nobody.gid);
  chmodSync(directory, 0o700);
  expect(await beside.write(directory, { r1: { x: 0, y: 0 } }, always)).toEqual({ r1: { x: 0, y: 0 } });
  expect(statSync(file)).toMatchObject({ uid: nobody.uid, gid: nobody.gid });
});

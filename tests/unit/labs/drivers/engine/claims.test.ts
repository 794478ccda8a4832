import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { claimedInstances, remainsOfLab } from '../../../../../src/labs/drivers/engine/claims.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const lab = { workdir: '/labs/a', instance: '7' };
let runDir: string;

function claim(instance: string, content: string): void {
  mkdirSync(path.join(runDir, 'lab-engine', instance), { recursive: true });
  writeFileSync(path.join(runDir, 'lab-engine', instance, 'claim.json'), content);
}

beforeEach(() => {
  runDir = mkdtempSync(path.join(root, 'run-'));
  mkdirSync(path.join(runDir, 'netns'));
  for (const name of ['lab-7-h1', 'lab-7-.switch', 'lab-77-h1', 'lab-8-h1', 'other']) {
    writeFileSync(path.join(runDir, 'netns', name), '');
  }
});

test('namespaces that are called after the instance and that nobody claims are left', async () => {
  expect((await remainsOfLab(lab, runDir)).toSorted()).toEqual(['lab-7-.switch', 'lab-7-h1']);
  expect(await remainsOfLab({ ...lab, instance: '9' }, runDir)).toEqual([]);
});

test('those of the claim of this directory are left, also when the instance was not known', async () => {
  claim('8', JSON.stringify({ dir: '/labs/a', names: ['lab-8-h1', 'lab-8-gone'] }));
  expect(await remainsOfLab({ ...lab, instance: null }, runDir)).toEqual(['lab-8-h1']);
});

test('what is being written, or says no list of names, claims nothing', async () => {
  const names = ['lab-8-h1'];
  claim('.8.new', JSON.stringify({ dir: '/labs/a', names }));
  expect(await remainsOfLab({ ...lab, instance: null }, runDir)).toEqual([]);
  claim('8', JSON.stringify({ dir: '/labs/a', names: 'lab-8-h1' }));
  expect(await remainsOfLab({ ...lab, instance: null }, runDir)).toEqual([]);
});

test('its own claim takes no names from it, nor does that of another instance', async () => {
  claim('7', JSON.stringify({ dir: '/labs/a', names: ['other'] }));
  claim('8', JSON.stringify({ dir: '/labs/b', names: ['lab-8-h1'] }));
  expect((await remainsOfLab(lab, runDir)).toSorted()).toEqual(['lab-7-.switch', 'lab-7-h1', 'other']);
});

test('without an instance, none is looked for by its name', async () => {
  writeFileSync(path.join(runDir, 'netns', 'lab-null-h1'), '');
  expect(await remainsOfLab({ ...lab, instance: null }, runDir)).toEqual([]);
});

test('those of a lab in another directory are not', async () => {
  claim('7', JSON.stringify({ dir: '/labs/b', names: ['lab-7-h1'] }));
  expect(await remainsOfLab(lab, runDir)).toEqual([]);
});

test("a damaged claim is nobody's, and a machine without namespaces has none", async () => {
  claim('7', '{"dir"');
  expect(await remainsOfLab({ ...lab, instance: null }, runDir)).toEqual([]);
  expect(await remainsOfLab(lab, path.join(root, 'nowhere'))).toEqual([]);
});

test('the numbers that any user of this machine has claimed', async () => {
  for (const name of ['7', '12', '.12.new', 'x7', '7x']) claim(name, '');
  expect((await claimedInstances(runDir)).toSorted()).toEqual(['12', '7']);
  expect(await claimedInstances(path.join(root, 'nowhere'))).toEqual([]);
});

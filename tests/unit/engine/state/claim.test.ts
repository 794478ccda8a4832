import { beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  claimedNames,
  disclaim,
  dropClaim,
  makeClaim,
  ownClaims,
  readClaim,
} from '../../../../src/engine/state/claim.ts';
import { claimDirectory } from '../../../../src/engine/system/namespace-files.ts';
import { teardown } from '../../../../src/engine/namespaces/teardown.ts';
import { instanceLockFile } from '../../../../src/engine/state/instance-lock.ts';
import { tryLock } from '../../../../src/engine/system/lock.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let runDir: string;
let mine: { home: string; runDir: string; cwd: string };
let theirs: typeof mine;

beforeEach(() => {
  runDir = mkdtempSync(path.join(root, 'run-'));
  mkdirSync(path.join(runDir, 'netns'));
  mine = { home: path.join(runDir, 'mine'), runDir, cwd: '/labs/mine' };
  theirs = { home: path.join(runDir, 'theirs'), runDir, cwd: '/labs/theirs' };
});

const names = ['lab-5-h1', 'lab-5-h2'];
const exists = (name: string): void => writeFileSync(path.join(runDir, 'netns', name), '');

describe('a claim', () => {
  test('says whose the namespaces are, and goes without a trace', async () => {
    await makeClaim(mine, '5', names);
    expect(await readClaim(mine, '5')).toEqual({ home: mine.home, dir: '/labs/mine', names });
    expect(await readClaim(theirs, '5')).toBeUndefined();
    expect([...(await ownClaims(mine)).keys()]).toEqual(['5']);
    expect([...(await ownClaims(theirs)).keys()]).toEqual([]);
    await dropClaim(mine, '5');
    expect(readdirSync(runDir)).toEqual(['netns']);
  });

  test('covers what exists of its names, and nothing else of the prefix', async () => {
    await makeClaim(mine, '5', names);
    const claim = (await readClaim(mine, '5'))!;
    expect(claimedNames(runDir, '5', claim)).toEqual([]);
    ['lab-5-h2', 'lab-5-foreign', 'lab-55-h1'].forEach(exists);
    expect(claimedNames(runDir, '5', claim)).toEqual(['lab-5-h2']);
    expect(claimedNames(runDir, '5', { ...claim, names: ['lab-55-h1'] })).toEqual([]);
    await disclaim(mine, '5', ['lab-5-h2']);
    expect(claimedNames(runDir, '5', (await readClaim(mine, '5'))!)).toEqual([]);
  });

  test('that is damaged has no owner, and can be made again', async () => {
    await makeClaim(mine, '5', names);
    for (const text of ['{', '[]', 'null', '{"home": 1}', `{"home": "${mine.home}", "dir": "/x"}`]) {
      writeFileSync(path.join(claimDirectory(runDir, '5'), 'claim.json'), text);
      expect(await readClaim(mine, '5')).toBeUndefined();
      expect([...(await ownClaims(mine))]).toEqual([]);
    }
    await makeClaim(mine, '5', names);
    expect(await readClaim(mine, '5')).toBeDefined();
  });

  test('left half-made by a killed command goes with the next teardown', async () => {
    const context = {
      ...mine,
      seesKernel: true,
      out: () => undefined,
      err: () => undefined,
      interrupted: new AbortController().signal,
    };
    await makeClaim(mine, '5', names);
    const owner = createHash('sha256').update(mine.home).digest('hex').slice(0, 12);
    renameSync(claimDirectory(runDir, '5'), path.join(runDir, 'lab-engine', `.5-${owner}`));
    const lock = (await tryLock(instanceLockFile(mine.home, '5'), { waitSeconds: 0 }))!;
    expect(await teardown(context, '5', lock.fd)).toEqual({ nodes: 0, processes: 0, problems: [] });
    await lock.release();
    expect(existsSync(path.join(runDir, 'lab-engine'))).toBe(false);
  });

  test('is refused over foreign namespaces', async () => {
    exists('lab-5-h2');
    await expect(makeClaim(mine, '5', names)).rejects.toThrow('belong to another program: lab-5-h2');
    expect(existsSync(claimDirectory(runDir, '5'))).toBe(false);
  });

  test('is refused while another owner has namespaces, or is about to make them', async () => {
    await makeClaim(theirs, '5', names);
    const lock = await tryLock(instanceLockFile(theirs.home, '5'), { waitSeconds: 0 });
    await expect(makeClaim(mine, '5', names)).rejects.toThrow(`its state is in ${theirs.home}`);
    await lock!.release();
    exists('lab-5-h1');
    await expect(makeClaim(mine, '5', ['lab-5-x'])).rejects.toThrow(`its state is in ${theirs.home}`);
  });

  test('that was left behind is taken over', async () => {
    await makeClaim(theirs, '5', names);
    await makeClaim(mine, '5', names);
    expect(await readClaim(mine, '5')).toBeDefined();
    mkdirSync(claimDirectory(runDir, '6'));
    await makeClaim(mine, '6', ['lab-6-h1']);
    expect(await readClaim(mine, '6')).toBeDefined();
  });
});

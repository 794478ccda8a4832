import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LabEntry } from '../../../../src/engine/core/lab-status.ts';
import {
  logged,
  readRegistry,
  registryFile,
  tidyRegistry,
  updateRegistry,
} from '../../../../src/engine/state/lab-registry.ts';
import { temporaryName } from '../../../../src/engine/system/files.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(root, 'home-'));
});

function entry(dir: string): LabEntry {
  const fresh = { dir, log: [], name: 'demo', providers: ['netns'], topology: 'topology.yml' };
  return logged({ ...fresh, status: 'starting' }, 'starting provider netns');
}

describe('the state', () => {
  test('is empty before the first lab', async () => {
    expect([...(await readRegistry(home))]).toEqual([]);
  });

  test("has netlab's shape on disk", async () => {
    await updateRegistry(
      home,
      (entries) => void entries.set('default', logged(entry('/labs/a'), 'started', 'started')),
    );
    const document = JSON.parse(readFileSync(registryFile(home), 'utf8'));
    expect(Object.keys(document.default)).toEqual(
      'dir log log_line name providers status timestamp topology'.split(' '),
    );
    expect(document.default).toMatchObject({
      dir: '/labs/a',
      name: 'demo',
      providers: ['netns'],
      status: 'started',
    });
    expect(document.default.log[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00: starting provider netns$/,
    );
    expect(document.default.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  });

  test('loses nothing when many change it at once', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(
      ids.map((id) => updateRegistry(home, (entries) => void entries.set(id, entry(`/labs/${id}`)))),
    );
    expect([...(await readRegistry(home)).keys()].toSorted()).toEqual(ids.toSorted());
    expect(readdirSync(home).toSorted()).toEqual(['status.json', 'status.lock']);
  });

  test('is tidied of what a writer left that was killed, and of nothing else', async () => {
    const others = ['status.json.backup', 'status.json.1.old', 'status.jsonx.1', 'other.json.1'];
    for (const name of others) writeFileSync(path.join(home, name), '');
    const leave = (): void => writeFileSync(temporaryName(registryFile(home)), '{"half": ');

    leave();
    await updateRegistry(home, (entries) => void entries.set('a', entry('/labs/a')));
    expect(readdirSync(home).toSorted()).toEqual([...others, 'status.json', 'status.lock'].toSorted());
    leave();
    leave();
    await tidyRegistry(home);
    expect(readdirSync(home).toSorted()).toEqual([...others, 'status.json', 'status.lock'].toSorted());
    expect([...(await readRegistry(home)).keys()]).toEqual(['a']);
  });

  test('is not made by tidying', async () => {
    await tidyRegistry(path.join(home, 'nowhere'));
    await tidyRegistry(home);
    expect(readdirSync(home)).toEqual([]);
  });

  test('stays as it was when the change fails', async () => {
    await updateRegistry(home, (entries) => void entries.set('a', entry('/labs/a')));
    const change = updateRegistry(home, (entries) => {
      entries.clear();
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect((await readRegistry(home)).has('a')).toBe(true);
  });

  test.each([
    '',
    '[1]',
    '{"a": 1}',
    '{"a": {"dir": 1}}',
    '{',
    '{"5": {"dir": "/x", "log": [], "status": "started"}}',
  ])('that is damaged (%j) is not overwritten', async (text) => {
    writeFileSync(registryFile(home), text);
    await expect(updateRegistry(home, (entries) => entries.clear())).rejects.toThrow(
      'status.json is damaged',
    );
    expect(readFileSync(registryFile(home), 'utf8')).toBe(text);
  });
});

describe('in the place of the state', () => {
  test('a pipe is refused at once', async () => {
    execFileSync('mkfifo', [registryFile(home)]);
    await expect(readRegistry(home)).rejects.toThrow('is not a regular file');
  });

  test('a link is refused', async () => {
    writeFileSync(path.join(home, 'other'), '{}');
    symlinkSync('other', registryFile(home));
    await expect(readRegistry(home)).rejects.toThrow('status.json is a symbolic link: remove it');
  });
});

import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import {
  findLabIn,
  realDirectoryOf,
  recordedLabs,
  type RecordedLab,
} from '../../../../src/labs/status/lab-in-directory.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const labs = path.join(root, 'labs');
mkdirSync(labs);
symlinkSync('labs', path.join(root, 'link'));

test('a directory that is not told is not that of the service', () => {
  expect(['', path.join(root, 'link'), path.join(root, 'gone')].map(realDirectoryOf)).toEqual([
    '',
    labs,
    path.join(root, 'gone'),
  ]);
});

test('labs are those of the record, else those that were told last', () => {
  const log = ['2026-01-02T03:04:05Z: starting lab'];
  const recorded = new Map([['7', { dir: path.join(root, 'link'), log }]]);
  const told = new Map([['8', {}]]);
  const { status, files } = netlab;
  const own = { status, files: { ...files, recordedLabs: () => recorded } };
  expect(recordedLabs(own, {}, () => told)).toEqual([
    { id: '7', directory: labs, startedAtMs: Date.parse('2026-01-02T03:04:05Z') },
  ]);
  const { recordedLabs: _none, ...withoutRecord } = files;
  const other = { status, files: withoutRecord };
  expect(recordedLabs(other, {}, () => told)).toEqual([{ id: '8', directory: '', startedAtMs: null }]);
  expect(() => recordedLabs(other, {}, () => undefined)).toThrow('has not told');
});

test('the lab in a directory is the first there, or below', () => {
  const lab = (id: string, directory: string): RecordedLab => ({ id, directory, startedAtMs: null });
  const all = () => [lab('1', '/labs/one'), lab('2', '/labs/two/deep')];
  const found = ['/labs/one', '/labs/two', '/labs', '/labs/o', '/labs/one/x'].map((place) =>
    findLabIn(place, all),
  );
  expect(found).toEqual(['1', '2', '1', undefined, undefined]);
  const cause = new Error('unreadable');
  const broken = (): never => {
    throw cause;
  };
  expect(() => findLabIn('/labs', broken)).toThrow(
    expect.objectContaining({ code: 'workspace-busy', cause, retryAfterSeconds: 10 }),
  );
});

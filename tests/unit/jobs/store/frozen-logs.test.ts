import { expect, test } from '@jest/globals';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FrozenLogs } from '../../../../src/jobs/store/frozen-logs.ts';
import { sampleId } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const id = sampleId(1);

test('a log that was frozen keeps its size, whatever is added to its file', () => {
  const file = path.join(directory, 'log');
  writeFileSync(file, 'words');
  const logs = new FrozenLogs();
  expect(logs.sizeOf(id)).toBeUndefined();
  expect(logs.freeze(id, file)).toBe(5);
  appendFileSync(file, ' of a stray');
  expect(logs.sizeOf(id)).toBe(5);
  logs.forget(id);
  expect(logs.sizeOf(id)).toBeUndefined();
});

test('a log that cannot be looked at has no end that is known', () => {
  const logs = new FrozenLogs();
  expect(logs.freeze(id, path.join(directory, 'none'))).toBeNull();
  expect(logs.sizeOf(id)).toBeUndefined();
});

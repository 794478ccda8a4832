import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { JobStore } from '../../../../src/jobs/store/job-store.ts';
import {
  cutLog,
  logExtent,
  logStream,
  readChunk,
  readLogEnd,
  tailOffset,
} from '../../../../src/jobs/log/log-file.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const store = new JobStore(path.join(directory, 'jobs'), new MemoryLogger());
let count = 0;

afterAll(() => store.close());

function logFile(content: string | Uint8Array): string {
  count += 1;
  const file = path.join(directory, `log-${count}`);
  writeFileSync(file, content);
  return file;
}

/** A job with a log of its own. */
async function jobWithLog(
  content: string | Uint8Array,
  changes: Partial<Job> = {},
): Promise<{ job: Job; file: string }> {
  count += 1;
  const job = sampleJob({ id: sampleId(count), state: 'running', ...changes });
  await store.prepare();
  await store.create(job, undefined);
  const file = store.paths(job.id).log;
  writeFileSync(file, content);
  return { job, file };
}

describe('logExtent', () => {
  test('of a running job holds back a character whose rest is still to come', async () => {
    const { job, file } = await jobWithLog(Buffer.from([0x61, 0xf0, 0x9f, 0x98]));
    expect(await logExtent(job, store.paths(job.id).log)).toEqual({ size: 4, end: 1, complete: false });
    appendFileSync(file, Buffer.from([0x80]));
    expect(await logExtent(job, store.paths(job.id).log)).toEqual({ size: 5, end: 5, complete: false });
  });

  test.each(['queued', 'running', 'canceling'] as const)('of a %s job is not complete', async (state) => {
    const { job } = await jobWithLog('', { state });
    expect(await logExtent(job, store.paths(job.id).log)).toEqual({ size: 0, end: 0, complete: false });
  });

  test.each(['success', 'failed', 'canceled'] as const)(
    'of a job that ended as %s is whole',
    async (state) => {
      const { job } = await jobWithLog(Buffer.from([0x61, 0xe2, 0x82]), { state, logSize: 3 });
      expect(await logExtent(job, store.paths(job.id).log)).toEqual({ size: 3, end: 3, complete: true });
    },
  );

  test('does not count what a stray wrote after the end of the job', async () => {
    const { job } = await jobWithLog('mine, and not mine', { state: 'success', logSize: 4 });
    expect(await logExtent(job, store.paths(job.id).log)).toMatchObject({ end: 4, complete: true });
  });

  test('nor what it wrote between the end of the log and the end of the job', async () => {
    const { job, file } = await jobWithLog('mine');
    appendFileSync(file, ', and not mine');
    expect(await logExtent(job, file, () => 4)).toMatchObject({ end: 4, complete: false });
  });

  test('tells a log that is gone from one that cannot be read', async () => {
    const { job, file } = await jobWithLog('');
    rmSync(file);
    expect(await failureOf(logExtent(job, store.paths(job.id).log))).toMatchObject({
      code: 'log-not-found',
      cause: { code: 'ENOENT' },
    });
    rmSync(store.paths(job.id).directory, { recursive: true });
    writeFileSync(store.paths(job.id).directory, 'not a directory');
    expect(await failureOf(logExtent(job, store.paths(job.id).log))).toMatchObject({
      code: 'storage-fault',
      cause: { code: 'ENOTDIR' },
    });
  });
});

test('whatever was readable once is a prefix of what is readable later', async () => {
  const content = Buffer.concat([
    Buffer.from('aé€😀z—ß👩‍🚀\n'.repeat(3)),
    Buffer.from([0xff, 0xe2, 0x82, 0x0a, 0xf0, 0x9f, 0x41, 0xc3]),
  ]);
  const { job, file } = await jobWithLog('');
  let seen = Buffer.alloc(0);
  for (const byte of content) {
    appendFileSync(file, Buffer.of(byte));
    const { end } = await logExtent(job, store.paths(job.id).log);
    const now = readFileSync(file).subarray(0, end);
    expect(now.subarray(0, seen.length).equals(seen)).toBe(true);
    expect(end).toBeGreaterThanOrEqual(seen.length);
    // As text too: a character that was cut would be another one later.
    expect(now.toString('utf8').startsWith(seen.toString('utf8'))).toBe(true);
    seen = Buffer.from(now);
  }
  const { end } = await logExtent({ ...job, state: 'success', logSize: content.length }, file);
  expect(readFileSync(file).subarray(0, end).equals(content)).toBe(true);
});

describe('logStream', () => {
  test.each([
    { start: 0, end: 5, expected: 'hello' },
    { start: 1, end: 3, expected: 'el' },
    { start: 4, end: 5, expected: 'o' },
    { start: 3, end: 3, expected: '' },
    { start: 5, end: 2, expected: '' },
    { start: 0, end: 0, expected: '' },
  ])('from $start to $end', async ({ start, end, expected }) => {
    expect((await buffer(await logStream(logFile('hello'), start, end))).toString()).toBe(expected);
  });
});

describe('readChunk', () => {
  const kib64 = 65_536;
  const all = async (file: string, from: number, end: number): Promise<number[]> => {
    const offsets: number[] = [];
    for (let at = from; at < end;) {
      const { bytes, nextOffset } = await readChunk(file, at, end);
      expect(nextOffset).toBe(at + bytes.length);
      offsets.push(nextOffset);
      at = nextOffset;
    }
    return offsets;
  };

  test('readers that began anywhere come to the same offsets', async () => {
    const file = logFile('x'.repeat(3 * kib64));
    for (const start of [0, 1, 1_000, kib64 - 5])
      expect(await all(file, start, 3 * kib64)).toEqual([kib64, 2 * kib64, 3 * kib64]);
  });

  test.each([1, 2, 3])('a character with %d bytes before a boundary goes behind it', async (before) => {
    const content = Buffer.from(`${'x'.repeat(kib64 - before)}\u{1f600}yy`);
    const file = logFile(content);
    const cut = kib64 - before;
    for (const start of [0, cut - 50, cut - 4]) {
      expect(await all(file, start, content.length)).toEqual([cut, content.length]);
    }
  });
});

describe('tailOffset', () => {
  const tailOf = async (
    content: string,
    lines: number,
    end = Buffer.byteLength(content),
  ): Promise<string> => {
    const file = logFile(content);
    return Buffer.from(content)
      .subarray(await tailOffset(file, end, lines), end)
      .toString();
  };

  test.each([
    { content: '', lines: 5, expected: '' },
    { content: 'a\nb\nc\n', lines: 0, expected: '' },
    { content: 'a\nb\nc\n', lines: 1, expected: 'c\n' },
    { content: 'a\nb\nc\n', lines: 2, expected: 'b\nc\n' },
    { content: 'a\nb\nc\n', lines: 3, expected: 'a\nb\nc\n' },
    { content: 'a\nb\nc\n', lines: 100, expected: 'a\nb\nc\n' },
    { content: 'a\nb\nc', lines: 0, expected: '' },
    { content: 'a\nb\nc', lines: 1, expected: 'c' },
    { content: 'a\nb\nc', lines: 2, expected: 'b\nc' },
    { content: '\n\n\n', lines: 2, expected: '\n\n' },
    { content: '\na', lines: 1, expected: 'a' },
    { content: '\na', lines: 2, expected: '\na' },
    { content: 'no line end', lines: 1, expected: 'no line end' },
    { content: '\n', lines: 1, expected: '\n' },
  ])('of $content, the last $lines: $expected', async ({ content, lines, expected }) => {
    expect(await tailOf(content, lines)).toBe(expected);
  });
});

test('readLogEnd gives the last bytes as text, and nothing where there is no log', async () => {
  expect(await readLogEnd(logFile('0123456789'), 4)).toBe('6789');
  expect(await readLogEnd(logFile('01'), 4)).toBe('01');
  expect(await readLogEnd(path.join(directory, 'none'), 4)).toBe('');
});

test.each<[string, (file: string) => void]>([
  ['link', (file) => symlinkSync('/proc/self/environ', file)],
  ['pipe', (file) => execFileSync('mkfifo', [file])],
  ['directory', (file) => mkdirSync(file)],
])('a %s in the place of a log is neither followed nor waited for', async (_name, make) => {
  const { job, file } = await jobWithLog('secret\n');
  rmSync(file);
  make(file);
  expect(await failureOf(logExtent(job, file))).toMatchObject({ code: 'storage-fault' });
  expect(await failureOf(logStream(file, 0, 5))).toMatchObject({ code: 'storage-fault' });
  expect(await readLogEnd(file, 100)).toBe('');
});

test('no file stays open that was looked into', async () => {
  const { job, file } = await jobWithLog('one\ntwo');
  await logExtent(job, file);
  await readChunk(file, 0, 7);
  await tailOffset(file, 7, 1);
  await readLogEnd(file, 4);
  await cutLog(file, 3);
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // That of the directory itself.
      return undefined;
    }
  });
  expect(open).not.toContain(file);
});

import { describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LogChunk } from '../../src/jobs/model/job-log.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();

async function startRig(): Promise<JobRig> {
  const rig = makeRig({ root: mkdtempSync(path.join(base, 'machine-')) });
  await rig.start();
  return rig;
}

/** The chunks alone; the states among them are told by the HTTP tests. */
async function* follow(
  rig: JobRig,
  id: string,
  offset = 0,
  signal = new AbortController().signal,
): AsyncGenerator<LogChunk> {
  for await (const news of rig.followers.follow({ id, offset, signal })) {
    if (news.kind === 'log') yield news.chunk;
  }
}

/** Every chunk until the end. Each has to be whole characters, and the offsets without a gap. */
async function collect(chunks: AsyncIterable<LogChunk>, offset = 0): Promise<Buffer> {
  const parts: Buffer[] = [];
  let expected = offset;
  for await (const { bytes, nextOffset } of chunks) {
    expected += bytes.length;
    expect(nextOffset).toBe(expected);
    expect(bytes.length).toBeGreaterThan(0);
    parts.push(Buffer.from(bytes));
  }
  return Buffer.concat(parts);
}

/** A job that prints what it is told to, when it is told to. */
async function startCued(rig: JobRig) {
  const cues = path.join(rig.root, 'cues');
  mkdirSync(cues);
  const { id } = await rig.submitReady({ program: 'prints-cues', args: [cues] });
  let count = 0;
  const put = (name: string, content: string | Uint8Array): void => {
    writeFileSync(path.join(cues, 'new'), content);
    renameSync(path.join(cues, 'new'), path.join(cues, name));
  };
  return {
    id,
    /** Makes the job print, and waits until that is in the log. */
    print: async (content: string | Uint8Array): Promise<void> => {
      const size = rig.logBytes(id).length + Buffer.from(content).length;
      put(String((count += 1)), content);
      await eventually('the words in the log', () => rig.logBytes(id).length === size);
    },
    end: () => put('end', ''),
  };
}

describe('a growing log', () => {
  test('reaches every follower whole, the slow one too', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const before = rig.store.listenerCount('change');
    const slow = follow(rig, job.id);
    const first = await slow.next();
    const quick = Promise.all(Array.from({ length: 10 }, async () => collect(follow(rig, job.id))));
    for (const text of ['one\n', 'zwei ü\n', '三 3\n', 'x'.repeat(150_000)]) await job.print(text);
    job.end();
    await rig.ended(job.id);
    const expected = rig.logBytes(job.id);
    for (const seen of await quick) expect(seen.equals(expected)).toBe(true);
    // It took one chunk before all this and takes the others now.
    const start = first.value as LogChunk;
    const rest = await collect(slow, start.nextOffset);
    expect(Buffer.concat([start.bytes, rest]).equals(expected)).toBe(true);
    expect(rig.store.listenerCount('change')).toBe(before);
  });

  test('is given as it grows, not at the end', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const chunks = follow(rig, job.id);
    expect((await chunks.next()).value).toMatchObject({ bytes: Buffer.from('ready\n'), nextOffset: 6 });
    for (const text of ['one\n', 'two\n']) {
      const next = chunks.next();
      await job.print(text);
      expect(((await next).value as LogChunk).bytes.toString()).toBe(text);
      expect((await rig.record(job.id)).state).toBe('running');
    }
    job.end();
    expect((await chunks.next()).done).toBe(true);
    await rig.ended(job.id);
  });

  test('with characters that come in pieces: no chunk holds a piece', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const seen: string[] = [];
    const following = (async () => {
      for await (const { bytes } of follow(rig, job.id)) seen.push(decoder.decode(bytes));
    })();
    for (const byte of Buffer.from('€😀é')) {
      await job.print(Uint8Array.of(byte));
      // The follower was awake since: what it saw of the log it has judged by then.
      await eventually('the follower to be up to date', () => {
        const whole = rig.logText(job.id).replaceAll('\ufffd', '');
        return seen.join('') === whole;
      });
    }
    job.end();
    await rig.ended(job.id);
    await following;
    expect(seen.join('')).toBe('ready\n€😀é');
  });

  test('with a piece of a character at its very end gives that as well', async () => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: 'invalid-utf8' });
    expect((await collect(follow(rig, id))).equals(rig.logBytes(id))).toBe(true);
    expect(rig.logBytes(id).at(-1)).toBe(0x82);
    await rig.ended(id);
  });
});

describe('offsets', () => {
  test('resume exactly', async () => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: '/usr/bin/seq', args: ['1', '40000'] });
    await rig.ended(id);
    const whole = rig.logBytes(id);
    for (const offset of [0, 1, 6, 65_536, whole.length - 1, whole.length]) {
      const rest = await collect(follow(rig, id, offset), offset);
      expect(rest.equals(whole.subarray(offset))).toBe(true);
    }
  });

  test('beyond the end wait for the log to get there', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const later = collect(follow(rig, job.id, 10), 10);
    await job.print('abcdefgh');
    job.end();
    expect((await later).toString()).toBe('efgh');
    expect((await collect(follow(rig, job.id, 1_000), 1_000)).length).toBe(0);
    await rig.ended(job.id);
  });

  test('of chunks never cut a character', async () => {
    const rig = await startRig();
    const line = `${'€😀'.repeat(7)}x\n`;
    const file = path.join(rig.root, 'text');
    writeFileSync(file, line.repeat(5_000));
    const { id } = await rig.submit({ program: '/bin/cat', args: [file] });
    await rig.ended(id);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const seen: string[] = [];
    for await (const { bytes } of follow(rig, id)) seen.push(decoder.decode(bytes));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.join('') === line.repeat(5_000)).toBe(true);
  });
});

describe('following ends', () => {
  test('by its signal: while it waits, between chunks, and before it began', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const before = rig.store.listenerCount('change');
    const waitingAbort = new AbortController();
    const waiting = follow(rig, job.id, 0, waitingAbort.signal);
    expect((await waiting.next()).done).toBe(false);
    const end = waiting.next();
    waitingAbort.abort();
    expect((await end).done).toBe(true);

    const betweenAbort = new AbortController();
    const between = follow(rig, job.id, 0, betweenAbort.signal);
    expect((await between.next()).done).toBe(false);
    await job.print('more\n');
    betweenAbort.abort();
    expect((await between.next()).done).toBe(true);

    expect((await follow(rig, job.id, 0, AbortSignal.abort()).next()).done).toBe(true);
    expect(rig.store.listenerCount('change')).toBe(before);
    job.end();
    await rig.ended(job.id);
  });

  test('when the reader goes away', async () => {
    const rig = await startRig();
    const job = await startCued(rig);
    const before = rig.store.listenerCount('change');
    for await (const { nextOffset } of follow(rig, job.id)) {
      expect(nextOffset).toBe(6);
      break;
    }
    expect(rig.store.listenerCount('change')).toBe(before);
    job.end();
    await rig.ended(job.id);
  });

  test('with the cancel of a job, queued or running', async () => {
    const rig = await startRig();
    const running = await rig.submitReady({ program: 'forever' });
    const queued = await rig.submit({ program: 'forever' });
    const logs = [running, queued].map(async ({ id }) => collect(follow(rig, id)));
    await rig.cancel(queued.id);
    await rig.cancel(running.id);
    expect((await Promise.all(logs)).map(String)).toEqual(['ready\n', '']);
  });

  test('with the job that was followed from the queue on', async () => {
    const rig = await startRig();
    const first = await rig.submitReady({ program: 'forever' });
    const second = await rig.submit({ program: 'exits-with', args: ['0'] });
    const log = collect(follow(rig, second.id));
    await rig.cancel(first.id);
    expect((await log).toString()).toBe('ready\none last word\n');
    expect((await rig.ended(second.id)).state).toBe('success');
  });

  test('with a word about a job or a log that is not there', async () => {
    const rig = await startRig();
    expect((await failureOf(collect(follow(rig, 'job-1-000000')))).code).toBe('job-not-found');
    const { id } = await rig.submit({ program: '/bin/true' });
    await rig.ended(id);
    renameSync(rig.store.paths(id).log, `${rig.store.paths(id).log}.gone`);
    expect((await failureOf(collect(follow(rig, id)))).code).toBe('log-not-found');
  });
});

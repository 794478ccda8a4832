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
});

describe('offsets', () => {
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
});

describe('following ends', () => {
  test('with a word about a job or a log that is not there', async () => {
    const rig = await startRig();
    expect((await failureOf(collect(follow(rig, 'job-1-000000')))).code).toBe('job-not-found');
    const { id } = await rig.submit({ program: '/bin/true' });
    await rig.ended(id);
    renameSync(rig.store.paths(id).log, `${rig.store.paths(id).log}.gone`);
    expect((await failureOf(collect(follow(rig, id)))).code).toBe('log-not-found');
  });
});

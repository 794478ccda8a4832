/** Many followers of one log: what they share, and what a slow one does not take from the others. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LogChunk } from '../../src/jobs/model/job-log.ts';
import { eventually } from '../support/eventually.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
const mebibyte = 2 ** 20;

let rig: JobRig;
beforeEach(async () => {
  rig = makeRig({ root: mkdtempSync(path.join(base, 'machine-')) });
  await rig.start();
});

async function* follow(
  id: string,
  offset = 0,
  signal = new AbortController().signal,
): AsyncGenerator<LogChunk> {
  for await (const news of rig.followers.follow({ id, offset, signal })) {
    if (news.kind === 'log') yield news.chunk;
  }
}

async function collect(chunks: AsyncIterable<LogChunk>): Promise<LogChunk[]> {
  const all: LogChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

function bytesOf(chunks: readonly LogChunk[]): Buffer {
  return Buffer.concat(chunks.map(({ bytes }) => bytes));
}

/** A job that has printed 8 MiB, of which every character takes several bytes. */
async function endedJob(): Promise<{ id: string; whole: Buffer }> {
  const whole = Buffer.from(`${'€😀'.repeat(9)}\n`.repeat((8 * mebibyte) / 64));
  const file = path.join(rig.root, 'text');
  writeFileSync(file, whole);
  const { id } = await rig.submit({ program: '/bin/cat', args: [file] });
  await rig.ended(id);
  return { id, whole };
}

/** Bytes that this process has read so far: `rchar` of proc(5). */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

function descriptorsOf(file: string): number {
  const targets = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target === file).length;
}

describe('followers in step', () => {
  test('read the log once, however many they are', async () => {
    const { id, whole } = await endedJob();
    const before = bytesRead();
    const logs = await Promise.all(Array.from({ length: 100 }, async () => collect(follow(id))));
    const read = bytesRead() - before;
    for (const chunks of logs) expect(bytesOf(chunks).equals(whole)).toBe(true);
    expect(read).toBeLessThan(1.5 * whole.length);
  });

  test('get the same objects, so that each is encoded once', async () => {
    const { id } = await endedJob();
    const [one, other] = await Promise.all([collect(follow(id)), collect(follow(id))]);
    expect(one.length).toBeGreaterThan(100);
    expect(one.every((chunk, index) => chunk === other[index])).toBe(true);
  });

  test('hold no descriptor of the log and one listener while they wait', async () => {
    const { id } = await rig.submitReady({ program: 'forever' });
    const before = rig.store.listenerCount('change');
    const abort = new AbortController();
    // Clients have a signal each.
    setMaxListeners(0, abort.signal);
    const followers = Array.from({ length: 100 }, () => follow(id, 0, abort.signal));
    await Promise.all(followers.map(async (chunks) => chunks.next()));
    const waiting = followers.map(async (chunks) => chunks.next());
    expect(rig.store.listenerCount('change')).toBe(before + 1);
    await eventually('nobody has the log open', () => descriptorsOf(rig.store.paths(id).log) === 0);
    abort.abort();
    await Promise.all(waiting);
    expect(rig.store.listenerCount('change')).toBe(before);
    await rig.cancel(id);
  });
});

describe('a follower that does not keep up', () => {
  test('reads for itself what the others have long had', async () => {
    const { id, whole } = await endedJob();
    const slow = follow(id);
    const first = (await slow.next()).value as LogChunk;
    const quick = await collect(follow(id));
    expect(bytesOf(quick).equals(whole)).toBe(true);
    const before = bytesRead();
    const rest = await collect(slow);
    expect(bytesOf([first, ...rest]).equals(whole)).toBe(true);
    // Nothing was kept for it but the last chunks that somebody had.
    expect(bytesRead() - before).toBeGreaterThan(whole.length - mebibyte);
  });
});

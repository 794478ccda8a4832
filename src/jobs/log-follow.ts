import { open } from 'node:fs/promises';
import { unfinishedBytes } from '../lib/utf8.ts';
import { isTerminal, type Job } from './job.ts';
import type { JobService } from './job-service.ts';
import { logExtent, type LogGrowth } from './log.ts';

const chunkBytes = 64 * 1024;

/** Whole characters of a log, and the offset after them. */
export interface LogChunk {
  readonly bytes: Buffer;
  readonly nextOffset: number;
}

interface FollowOptions {
  readonly id: string;
  readonly offset: number;
  /** Ends the following early. */
  readonly signal: AbortSignal;
}

async function readChunk(file: string, offset: number, end: number): Promise<LogChunk> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(chunkBytes, end - offset));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    const isLast = offset + bytesRead >= end;
    const kept = bytesRead - (isLast ? 0 : unfinishedBytes(buffer.subarray(0, bytesRead)));
    return { bytes: buffer.subarray(0, kept), nextOffset: offset + kept };
  } finally {
    await handle.close();
  }
}

/** What is there now, in chunks. */
async function* readUpTo(
  file: string,
  end: number,
  { offset: start, signal }: FollowOptions,
): AsyncGenerator<LogChunk> {
  let offset = start;
  while (offset < end && !signal.aborted) {
    const chunk = await readChunk(file, offset, end);
    // The file is shorter than it was: nothing more will come of it.
    if (chunk.bytes.length === 0) return;
    offset = chunk.nextOffset;
    yield chunk;
  }
}

/**
 * The log from `offset` on, chunk by chunk, until the job has ended and all of it was given. Reads only as fast as the
 * caller takes, so a slow client costs nothing but its own time.
 */
export async function* followLog(
  jobs: JobService,
  growth: LogGrowth,
  options: FollowOptions,
): AsyncGenerator<LogChunk> {
  const { id, signal } = options;
  const file = jobs.store.paths(id).log;
  const ended = new AbortController();
  const onChange = (job: Job): void => {
    if (job.id === id && isTerminal(job.state)) ended.abort();
  };
  const wakeUp = AbortSignal.any([signal, ended.signal]);
  jobs.store.on('change', onChange);
  try {
    let { offset } = options;
    while (!signal.aborted) {
      // The state before the size: a log seen after its job's end is seen whole.
      const job = await jobs.get(id);
      const { end, size, complete } = await logExtent(job, file, () => jobs.store.frozenLogSize(id));
      for await (const chunk of readUpTo(file, end, { id, offset, signal })) {
        offset = chunk.nextOffset;
        yield chunk;
      }
      if (complete) return;
      await growth.wait(file, size, wakeUp);
    }
  } finally {
    jobs.store.off('change', onChange);
  }
}

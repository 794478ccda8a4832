import { Readable } from 'node:stream';
import type { JobLog } from '../../src/jobs/model/job-log.ts';
import type { JobView } from '../../src/jobs/model/job-view.ts';

interface Kept {
  /** In pieces, as a follower gets them. */
  readonly pieces: readonly string[];
  readonly complete?: boolean;
  /** What follows the last piece; a state of the job in the place of a proper end. */
  readonly atEnd?: () => void;
}

/** A job's log that is in memory, for tests of how one is sent. It is read in pieces of three bytes. */
export function keptLog({ pieces, complete = true, atEnd }: Kept): JobLog {
  const all = Buffer.from(pieces.join(''));
  return {
    state: 'running',
    extent: { size: all.length, end: all.length, complete },
    tailOffset: async () => 0,
    read: async (start, end) => {
      const part = all.subarray(start, Math.max(start, end));
      const count = Math.ceil(part.length / 3);
      return Readable.from(Array.from({ length: count }, (_, at) => part.subarray(at * 3, at * 3 + 3)));
    },
    async *follow({ offset }) {
      yield { kind: 'state', job: { id: 'job-1', state: 'running' } as JobView };
      let nextOffset = 0;
      for (const piece of pieces) {
        const bytes = Buffer.from(piece);
        nextOffset += bytes.length;
        if (nextOffset > offset) yield { kind: 'log', chunk: { bytes, nextOffset } };
      }
      atEnd?.();
      yield { kind: 'state', job: { id: 'job-1', state: 'success' } as JobView };
    },
  };
}

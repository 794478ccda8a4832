// Measures what jobs cost:
//   start    from POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it
//   create   "create" of a topology through the API against the same command line (netlab when it is on PATH)
//   records  a start with 100,000 finished jobs on disk, with and without the index file, pages of them, and memory
import os from 'node:os';
import { benchCreate } from './jobs/create.mjs';
import { showNotes } from './jobs/measure.mjs';
import { benchRecords } from './jobs/records.mjs';
import { benchStart } from './jobs/start.mjs';
import { progress } from './kit.mjs';

export const options = /** @type {const} */ ({
  parts: { type: 'string', default: 'start,create,records' },
  jobs: { type: 'string', default: '100' },
  runs: { type: 'string', default: '10' },
  records: { type: 'string', default: '100000' },
});
const all = new Map(Object.entries({ start: benchStart, create: benchCreate, records: benchRecords }));

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ parts, jobs, runs, records }) {
  for (const part of parts.split(',')) {
    const benchPart = all.get(part);
    if (!benchPart) throw new Error(`there is no part "${part}": use ${[...all.keys()].join(', ')}`);
    await benchPart({ jobs: Number(jobs), runs: Number(runs), records: Number(records) });
  }
  const load = os.loadavg()[0] ?? 0;
  if (load > os.availableParallelism() + 1)
    progress(`the machine is busy (load ${load.toFixed(1)}): times mean little`);
  showNotes();
}

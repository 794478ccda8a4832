import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, progress, root, timed } from '../kit.mjs';
import { built } from '../../lib/built.mjs';
import { figureOf } from '../../lib/process-usage.mjs';
import { milliseconds, note, startReady } from './measure.mjs';

const { newRecord } = await built('jobs/model/job.js');

/** @param {number} number @param {number} ms when it began */
function recordOf(number, ms) {
  const at = new Date(ms).toISOString();
  const isFailed = number % 7 === 0;
  const workdir = `/labs/course-${number % 500}`;
  return newRecord({
    id: `job-${ms}-${(number % 0xffffff).toString(16).padStart(6, '0')}`,
    action: ['up', 'create', 'down', 'collect', 'status'][number % 5],
    state: isFailed ? 'failed' : 'success',
    createdAt: at,
    startedAt: at,
    finishedAt: new Date(ms + 5_000).toISOString(),
    error: isFailed ? 'netlab up failed: Cannot proceed beyond this point due to errors, exiting' : null,
    workdir,
    reason: 'exited',
    exitCode: isFailed ? 1 : 0,
    command: ['/usr/bin/netlab', 'up', 'topology.yml'],
    request: { action: 'up', workdir },
    labels: number % 3 === 0 ? { team: `t${number % 40}` } : {},
    requestedBy: 'ops',
    timeoutMs: 14_400_000,
    logSize: 18,
    progress: { message: 'Created something', at },
  });
}

/** One job a minute, the last one an hour ago. @param {string} dataDir @param {number} recordCount */
function makeRecords(dataDir, recordCount) {
  const newest = Date.now() - 3_600_000;
  for (let number = 0; number < recordCount; number += 1) {
    const record = recordOf(number, newest - (recordCount - number) * 60_000);
    const directory = path.join(dataDir, 'jobs', record.id);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(directory, 'job.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    writeFileSync(path.join(directory, 'log'), 'Created something\n', { mode: 0o600 });
  }
}

/** The median time of pages that were not requested before; the query is a filter of the list. @param {string} url @param {string} query @param {number} recordCount */
async function pageTime(url, query, recordCount) {
  const newest = Date.now() - 3_600_000;
  const times = [];
  for (let page = 1; page <= 75; page += 1) {
    const cursor = query.includes('cursor')
      ? newest - Math.floor((recordCount * page) / 80) * 60_000
      : undefined;
    const target = `${url}/jobs?limit=100&${query.replace('cursor', cursor ? `cursor=job-${cursor}-000000` : '')}`;
    times.push(await timed(async () => (await fetch(target)).arrayBuffer()));
  }
  // The first ones pay for the compiler, the first twenty or so for its second thoughts.
  return median(times.slice(5));
}

/**
 * A start with many finished jobs on disk, with and without the index file, pages of them, and memory.
 * @param {import('./measure.mjs').Amounts} amounts
 */
export async function benchRecords({ records: recordCount }) {
  const dataDir = path.join(root, 'records');
  progress(`making ${recordCount} records`);
  makeRecords(dataDir, recordCount);
  const variables = { LAB_API_CLI: 'engine' };
  progress('a start without the index file');
  const first = await startReady(dataDir, variables);
  note('records: ready without the index file', first.readyMs, undefined, milliseconds);
  await first.end();
  progress('starts with the index file');
  const ready = [];
  for (let run = 0; run < 4; run += 1) {
    const service = await startReady(dataDir, variables);
    ready.push(service.readyMs);
    await service.end();
  }
  const service = await startReady(dataDir, variables);
  note('records: ready with the index file', median([...ready, service.readyMs]), 2_000, milliseconds);
  const pages = {
    'first page': '',
    'first page of the failed ones': 'state=failed',
    'deep page': 'cursor',
    'deep page of one team': 'label=team%3Dt9&cursor',
    'no match at all': 'workdir=/nowhere',
  };
  for (const [name, query] of Object.entries(pages)) {
    note(`records: ${name}, 100 jobs`, await pageTime(service.url, query, recordCount), 10, milliseconds);
  }
  const peak = figureOf(service.pid, 'status', 'VmHWM');
  note('records: most memory at any time', peak / 1024, 300, (value) => `${value.toFixed(0)} MiB`);
  await service.end();
}

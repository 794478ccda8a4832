// Measures what jobs cost:
//   start    from POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it
//   create   "create" of a topology through the API against the same command line (netlab when it is on PATH)
//   deploy   "up" of four containers of containerlab, with two lab CLIs configured, against `containerlab deploy`; needs Docker
//   records  a start with 100,000 finished jobs on disk, with and without the index file, pages of them, and memory
//   result   the end of a job whose lab CLI printed 1,000 MiB of empty lines
import os from 'node:os';
import {
  showNotes,
  makeWorkdir,
  milliseconds,
  note,
  ratio,
  runDirectly,
  runJob,
  startReady,
} from './jobs/measure.mjs';
import { benchRecords } from './jobs/records.mjs';
import { progress, median, root, timed, waits } from './kit.mjs';
import path from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { call, endOf } from '../lib/http.mjs';

/** `count` runs, as many side by side as there are processors, which is what the service does too. @param {number} count @param {() => Promise<unknown>} action */
async function sideBySide(count, action) {
  let started = 0;
  const lane = async () => {
    while (started < count) {
      started += 1;
      await action();
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, lane));
}

/** From POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it. @param {import('./jobs/measure.mjs').Amounts} amounts */
async function benchStart({ jobs: jobCount, runs: runCount }) {
  const cli = path.join(root, 'prints-the-time');
  writeFileSync(cli, '#!/bin/sh\ndate +%s%N\n', { mode: 0o755 });
  const service = await startReady(path.join(root, 'start'), { LAB_API_CLI: cli });
  const printedAt = (/** @type {string} */ text) => Number(BigInt(text.trim()) / 1000n) / 1000;
  const now = () => performance.timeOrigin + performance.now();
  const body = (/** @type {string} */ workdir) => ({ action: 'up', workdir });
  /** @type {number[][]} */
  const [throughApi = [], direct = []] = [[], []];
  for (let run = 0; run < runCount * 2; run += 1) {
    const workdir = makeWorkdir();
    let began = now();
    const { id } = await runJob(service.url, body(workdir));
    const log = await (await fetch(`${service.url}/jobs/${id}/log?output=text`)).text();
    throughApi.push(printedAt(log) - began);
    began = now();
    await runDirectly([cli], workdir);
    direct.push(printedAt(readFileSync(path.join(workdir, 'direct.log'), 'utf8')) - began);
  }
  note('start: POST /jobs to the first byte in the log', median(throughApi), undefined, milliseconds);
  note('start: spawn to the first byte, directly', median(direct), undefined, milliseconds);

  progress(`${jobCount} short jobs`);
  const workdirs = Array.from({ length: jobCount }, makeWorkdir);
  const jobsMs = await timed(async () => {
    for (const workdir of workdirs) await call(`${service.url}/jobs`, body(workdir));
    const unfinished = `${service.url}/jobs?state=queued,running&limit=1`;
    while ((await call(unfinished)).jobs.length > 0) await delay(10);
  });
  const directMs = await timed(async () => {
    const left = [...workdirs];
    await sideBySide(jobCount, async () => runDirectly([cli], left.pop() ?? root));
  });
  note('start: ratio', median(throughApi) / median(direct), undefined, ratio);
  const rate = (/** @type {number} */ value) => `${value.toFixed(0)} /s`;
  note('start: short jobs through the API', (jobCount * 1000) / jobsMs, undefined, rate);
  note('start: the same program directly', (jobCount * 1000) / directMs, undefined, rate);
  note('start: ratio of the rates', jobsMs / directMs, undefined, ratio);
  await service.end();
}

/** `create` of a topology through the API against the same command line. @param {import('./jobs/measure.mjs').Amounts} amounts */
async function benchCreate({ runs: runCount }) {
  const service = await startReady(path.join(root, 'create'));
  const job = await runJob(service.url, { action: 'create', workdir: makeWorkdir() });
  const cli = path.basename(job.command[0]) === 'netlab' ? 'netlab' : 'bundled engine';
  /** @type {number[][]} */
  const [throughApi = [], direct = []] = [[], []];
  for (let run = 0; run < runCount; run += 1) {
    progress(`create with the ${cli}: ${run + 1} of ${runCount}`);
    const [one, other] = [makeWorkdir(), makeWorkdir()];
    const viaApi = async () =>
      throughApi.push(await timed(async () => runJob(service.url, { action: 'create', workdir: one })));
    const alone = async () => direct.push(await timed(async () => runDirectly(job.command, other)));
    // In turns: the second one finds warm caches.
    for (const action of run % 2 === 0 ? [viaApi, alone] : [alone, viaApi]) await action();
  }
  note(`create: through the API, ${cli}`, median(throughApi), undefined, milliseconds);
  note('create: the same command directly', median(direct), undefined, milliseconds);
  note('create: ratio', median(throughApi) / median(direct), 1.05, ratio);
  await service.end();
}

const fourContainers = `name: bench
topology:
  nodes:
    a: { kind: linux, image: "python:3.13-alpine" }
    b: { kind: linux, image: "python:3.13-alpine" }
    c: { kind: linux, image: "python:3.13-alpine" }
    d: { kind: linux, image: "python:3.13-alpine" }
  links:
    - endpoints: ["a:eth1", "b:eth1"]
    - endpoints: ["b:eth2", "c:eth1"]
    - endpoints: ["c:eth2", "d:eth1"]
`;

/** `up` of a small lab of containerlab through the API against the same command line. @param {import('./jobs/measure.mjs').Amounts} amounts */
async function benchDeploy({ runs: runCount }) {
  // The service sets it for its jobs: without a way to the internet, containerlab waits seconds for an answer.
  process.env['CLAB_VERSION_CHECK'] = 'disable';
  const service = await startReady(path.join(root, 'deploy'), { LAB_API_CLIS: 'netlab,containerlab' });
  const workdir = makeWorkdir();
  writeFileSync(path.join(workdir, 'bench.clab.yml'), fourContainers);
  const body = { cli: 'containerlab', workdir };
  /** @type {number[][]} */
  const [throughApi = [], direct = []] = [[], []];
  const down = async () => runJob(service.url, { ...body, action: 'down' });
  let command = [''];
  for (let run = 0; run < runCount; run += 1) {
    progress(`deploy: ${run + 1} of ${runCount}`);
    const viaApi = async () => ({ command } = await runJob(service.url, { ...body, action: 'up' }));
    throughApi.push(await timed(viaApi));
    await down();
    direct.push(await timed(async () => runDirectly(command, workdir)));
    await down();
  }
  note('deploy: four containers through the API', median(throughApi), undefined, milliseconds);
  note('deploy: the same command directly', median(direct), undefined, milliseconds);
  note('deploy: difference', median(throughApi) - median(direct), 200, milliseconds);
  await service.end();
}

/** From the end of a lab CLI that printed only empty lines to the end of its job. */
async function benchResult() {
  const cli = path.join(root, 'prints-empty-lines');
  const lines = "head -c 1000M /dev/zero | tr '\\0' '\\n'";
  writeFileSync(cli, `#!/bin/sh\n${lines}\ndate +%s%N >ended\n`, { mode: 0o755 });
  const service = await startReady(path.join(root, 'result'), { LAB_API_CLI: cli });
  const workdir = makeWorkdir();
  const { id } = await call(`${service.url}/jobs`, { action: 'validate', workdir });
  const { result, longest } = await waits(service.url, async () => endOf(service.url, id));
  const { state, error } = result;
  const toldMs = Date.now();
  if (state !== 'success') throw new Error(`validate is ${state}: ${error}`);
  const endedMs = Number(BigInt(readFileSync(path.join(workdir, 'ended'), 'utf8').trim()) / 1_000_000n);
  note('result: read from 1,000 MiB of empty lines', toldMs - endedMs, 2_000, milliseconds);
  note('result: others wait meanwhile', longest, 200, milliseconds);
  await service.end();
}

export const options = /** @type {const} */ ({
  parts: { type: 'string', default: 'start,create,records,result' },
  jobs: { type: 'string', default: '100' },
  runs: { type: 'string', default: '10' },
  records: { type: 'string', default: '100000' },
});
const all = new Map(
  Object.entries({
    start: benchStart,
    create: benchCreate,
    deploy: benchDeploy,
    records: benchRecords,
    result: benchResult,
  }),
);

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

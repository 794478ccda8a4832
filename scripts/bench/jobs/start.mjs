import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../../lib/http.mjs';
import { median, progress, root, timed } from '../kit.mjs';
import { makeWorkdir, milliseconds, note, ratio, runDirectly, runJob, startReady } from './measure.mjs';

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

/** From POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it. @param {import('./measure.mjs').Amounts} amounts */
export async function benchStart({ jobs: jobCount, runs: runCount }) {
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

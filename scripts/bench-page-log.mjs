#!/usr/bin/env node
// How smooth the page stays over a very long log and a long list of jobs: the longest task of the browser's main thread while
// somebody scrolls, jumps and searches, and how much memory the page has afterwards.
//   npm run build && scripts/bench-page-log.mjs [--mebibytes 1024] [--jobs 1000] [--check]
// Chromium has to be on PATH; it tells of tasks of more than 50 ms, others count as 0. --check: exit code 1 when one took
// more than 200 ms. Needs Linux.
import Table from 'cli-table3';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { launchBrowser } from './lib/browser.mjs';
import { call, endOf } from './lib/http.mjs';
import { jobProcesses } from './lib/job-processes.mjs';
import { must } from './lib/must.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, root, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { tries } from './lib/wait.mjs';
import { say } from './lib/words.mjs';

/** @typedef {import('playwright-core').Page} Page */

const values = readOptions({
  mebibytes: { type: 'string', default: '1024' },
  jobs: { type: 'string', default: '1000' },
  check: { type: 'boolean', default: false },
});
const limitMs = 200;
const mebibyte = 2 ** 20;
const lineBytes = 64;
const mebibytes = Number(values.mebibytes);
const lines = (mebibytes * mebibyte) / lineBytes;
const jobCount = Number(values.jobs);
/** So many requests are under way at the same time. */
const atOnce = 20;
/** How long a search through all of the log may take. */
const searchMs = 600_000;
must(mebibytes >= 1 && Number.isInteger(lines), '--mebibytes has to be a number from 1 on');
must(jobCount >= 1 && Number.isInteger(jobCount), '--jobs has to be a whole number from 1 on');

const ground = temporaryDirectory('lab-api-bench-page-log');
const inside = (/** @type {string} */ name) => path.join(ground, name);
const state = inside('state');
for (const name of ['home', 'state', 'long', 'many']) mkdirSync(inside(name));

/** Runs in each page, before anything else there. */
const watch = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask' });
`;

/** What JavaScript has in memory, buffers included, in MiB. @param {Page} page */
async function heapMiB(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return (usedSize + backingStorageSize) / mebibyte;
}

/** @type {{ what: string, longestMs: number, seconds: number, memoryMiB: number }[]} */
const rows = [];

/** @param {Page} page @param {string} what @param {() => Promise<void>} action */
async function measure(page, what, action) {
  await page.evaluate('globalThis.longest = 0');
  const start = performance.now();
  await action();
  const seconds = (performance.now() - start) / 1000;
  // What the action has set off belongs to it.
  await page.waitForTimeout(1_000);
  const longestMs = Number(await page.evaluate('globalThis.longest'));
  rows.push({ what, longestMs, seconds, memoryMiB: await heapMiB(page) });
}

/** @param {Page} page @param {number} times @param {number} by in pixels */
async function wheel(page, times, by) {
  for (let time = 0; time < times; time += 1) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(16);
  }
}

/** Drags the bar that stands for the whole log from its top to its bottom. @param {Page} page */
async function dragBar(page) {
  const bar = await page.getByRole('scrollbar', { name: 'Place in the whole log' }).boundingBox();
  must(bar, 'there is no bar for the whole log');
  await page.mouse.move(bar.x + 5, bar.y + 5);
  await page.mouse.down();
  for (let step = 1; step <= 50; step += 1) {
    await page.mouse.move(bar.x + 5, bar.y + (bar.height * step) / 50 - 5);
    await page.waitForTimeout(40);
  }
  await page.mouse.up();
}

/** @param {number} number */
const numberText = (number) => `line ${String(number).padStart(15, '0')}`;

/** @param {Page} page @param {string} url */
async function benchLog(page, url) {
  const print = `seq -f 'line %015.0f ${'.'.repeat(42)}' 1 ${lines}`;
  const topology = `name: demo\nnodes: [r1]\n# run: ${print}\n`;
  const { id } = await call(`${url}/jobs`, { action: 'create', workdir: inside('long'), topology });
  await endOf(url, id);
  await page.goto(`${url}/ui/jobs/${id}`);
  const log = page.getByRole('region', { name: 'Log' });
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await log.getByText(numberText(1)).waitFor();
  await log.hover();
  await measure(page, 'log: wheel down 200 times from its beginning', async () => wheel(page, 200, 1200));
  await measure(page, 'log: to its end', async () => {
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByText(/^End of the log/).waitFor();
  });
  await log.hover();
  await measure(page, 'log: wheel up 200 times from its end', async () => wheel(page, 200, -1200));
  await measure(page, 'log: the bar dragged over all of it', async () => dragBar(page));
  await measure(page, 'log: a search through all of it', async () => {
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill(numberText(lines));
    await page.getByText('1 of 1 lines', { exact: true }).waitFor({ timeout: searchMs });
  });
}

/** @param {Page} page @param {string} url */
async function benchJobs(page, url) {
  const workdir = inside('many');
  // One runs until `busy` goes, and all others wait behind it in its directory: to list them is what is measured.
  const topology = `name: demo\nnodes: [r1]\n# run: while [ -e '${inside('busy')}' ]; do sleep 0.2; done\n`;
  writeFileSync(inside('busy'), '');
  for (let count = 0; count < jobCount; count += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, jobCount - count) }, async () =>
        call(`${url}/jobs`, { action: 'create', workdir, topology }),
      ),
    );
  await page.goto(`${url}/ui/jobs`);
  await page.getByRole('table', { name: 'Jobs' }).hover();
  await measure(page, `jobs: wheel down over ${jobCount}`, async () => {
    const end = page.getByText('that is all');
    while (!(await end.isVisible())) await wheel(page, 20, 400);
  });
  await measure(page, 'jobs: wheel up', async () => wheel(page, 100, -800));
}

function report() {
  const table = new Table({
    head: ['', 'seconds', 'longest task ms', 'memory MiB'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const { what, seconds, longestMs, memoryMiB } of rows)
    table.push([what, seconds.toFixed(1), longestMs.toFixed(0), memoryMiB.toFixed(1)]);
  say(`a log of ${mebibytes} MiB, ${lines} lines; ${jobCount} jobs\n${table.toString()}`);
  const longestMs = Math.max(...rows.map((row) => row.longestMs));
  if (!values.check || longestMs <= limitMs) return;
  say(`a task took ${longestMs.toFixed(0)} ms: more than ${limitMs} ms`);
  process.exitCode = 1;
}

const service = await startService({
  env: {
    ...plainEnvironment(),
    HOME: inside('home'),
    FAKE_LAB_STATE: state,
    LAB_API_CLI: path.join(root, 'tests/fixtures/programs/fake-netlab'),
    LAB_API_DATA_DIR: inside('data'),
    LAB_API_MAX_LOG_SIZE: '4GiB',
    LAB_API_MAX_QUEUED_JOBS: String(jobCount + 1),
  },
});
try {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    await page.addInitScript({ content: watch });
    await benchLog(page, service.url);
    await benchJobs(page, service.url);
    report();
  } finally {
    await browser.close();
  }
} finally {
  await service.end();
  // A job outlives the service; nobody is to write here while all of this goes.
  rmSync(inside('busy'), { force: true });
  const isOurs = (/** @type {string} */ _id, /** @type {readonly string[]} */ environment) =>
    environment.includes(`FAKE_LAB_STATE=${state}`);
  await tries('the jobs have ended', () => Promise.resolve(jobProcesses(isOurs).length === 0));
}

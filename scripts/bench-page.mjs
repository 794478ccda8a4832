#!/usr/bin/env node
// How smooth the picture of a large lab is in a browser: the longest task of the page's main thread for each thing one does there.
//   npm run build && scripts/bench-page.mjs [--nodes 300] [--check]
// Chromium, which has to be on PATH, says how long each task was, in its trace. Below stands how soon
// the list of labs can be used with an empty cache. --check: exit code 1 when a task took more than 200 ms, but for the one that
// draws all nodes for the first time.
import Table from 'cli-table3';
import { writeLabCli } from './bench-labs/lab-cli.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const values = readOptions({
  nodes: { type: 'string', default: '300' },
  check: { type: 'boolean', default: false },
});
const limitMs = 200;
const ground = temporaryDirectory('lab-api-bench-page');

/**
 * The tasks of the main thread of the page, in ms: that thread of a renderer which had the most.
 * @param {Buffer} trace
 */
function tasksOf(trace) {
  /** @type {{ traceEvents: { name: string, pid: number, tid: number, dur?: number, args?: { name?: string } }[] }} */
  const { traceEvents } = JSON.parse(trace.toString('utf8'));
  const threads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map((thread) =>
      traceEvents
        .filter(({ name, pid, tid }) => name.endsWith('RunTask') && pid === thread.pid && tid === thread.tid)
        .map(({ dur = 0 }) => dur / 1000),
    );
  return threads.reduce((most, one) => (one.length > most.length ? one : most), []);
}

/** What one does with a picture, each as somebody with a quick hand does it. @param {import('playwright-core').Page} page */
function deedsOf(page) {
  const { width, height } = { width: 1400, height: 900 };
  const middle = { x: width / 2, y: height / 2 };
  const wheel = async (/** @type {number} */ delta, /** @type {number} */ times) => {
    for (let nth = 0; nth < times; nth += 1) await page.mouse.wheel(0, delta);
  };
  const drag = async (/** @type {number} */ dx, /** @type {number} */ dy) => {
    await page.mouse.down();
    await page.mouse.move(middle.x + dx, middle.y + dy, { steps: 30 });
    await page.mouse.up();
  };
  return {
    'zoom in': async () => {
      await page.mouse.move(middle.x, middle.y);
      await page.keyboard.down('Control');
      await wheel(-120, 15);
    },
    'zoom out': async () => {
      await wheel(120, 15);
      await page.keyboard.up('Control');
    },
    'move the picture': async () => {
      await page.mouse.move(middle.x, middle.y);
      await drag(-400, 200);
    },
    'drag a node': async () => {
      await page.getByRole('button', { name: 'Fit the picture' }).click();
      const box = await page.getByRole('button', { name: /^s1 frr, / }).boundingBox();
      if (box === null) throw new Error('s1 is not in the picture');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + 120, box.y + 60, { steps: 30 });
      await page.mouse.up();
    },
    'open a node': async () => {
      await page.getByRole('button', { name: /^l1 frr, / }).click();
      await page.getByRole('heading', { name: 'l1' }).waitFor();
    },
    'scroll the page': async () => {
      await page.mouse.move(middle.x, middle.y);
      await wheel(200, 15);
    },
  };
}

/**
 * How long a browser with an empty cache takes, in ms, to show the list of labs and to be told what happens.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
async function firstUse(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const start = performance.now();
  await page.goto(`${url}/ui/`);
  await page.getByRole('heading', { name: 'Labs', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Connection: live' }).waitFor();
  const tookMs = performance.now() - start;
  await context.close();
  return tookMs;
}

const service = await startService({
  env: {
    ...plainEnvironment(),
    LAB_API_CLI: writeLabCli(ground, [Number(values.nodes)]),
    LAB_API_DATA_DIR: `${ground}/data`,
  },
});
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(60_000);
  const table = new Table({ head: ['', 'tasks', 'longest ms', 'longer than 50 ms'] });
  let longest = 0;
  const opening = 'open the page';
  const measure = async (/** @type {string} */ name, /** @type {() => Promise<void>} */ deed) => {
    await browser.startTracing(page, { categories: ['toplevel'] });
    await deed();
    // What the deed has set off belongs to it.
    await page.waitForTimeout(1_000);
    const tasks = tasksOf(await browser.stopTracing());
    const worst = Math.max(0, ...tasks);
    if (name !== opening) longest = Math.max(longest, worst);
    table.push([name, tasks.length, worst.toFixed(0), tasks.filter((ms) => ms > 50).length]);
  };
  const usableMs = await firstUse(browser, service.url);
  await measure(opening, async () => {
    await page.goto(`${service.url}/ui/labs/${values.nodes}`);
    await page.getByRole('button', { name: /^s1 frr, / }).waitFor();
  });
  for (const [name, deed] of Object.entries(deedsOf(page))) await measure(name, deed);
  console.log(`${values.nodes} nodes\n${table.toString()}`);
  console.log(`the list of labs, with an empty cache: usable after ${usableMs.toFixed(0)} ms`);
  if (values.check && longest > limitMs) {
    console.log(`a task took ${longest.toFixed(0)} ms: more than ${limitMs} ms`);
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  await service.end();
}

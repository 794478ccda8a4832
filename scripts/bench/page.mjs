// Measures in Chromium how fluent the drawing of a large topology is: spines, leaves and hosts. While the
// pointer works, the script counts frames; for an edit, it waits until the drawing shows it. Beside each: the longest task,
// during which the page answers nothing. The reference is an empty page, in the same run.
// Targets: at most one frame in ten is late, and an edit is drawn in half a second.
import { launchBrowser } from '../lib/browser.mjs';
import { must } from '../lib/words.mjs';
import { atEnd, median, progress, quantile, root, showTable, start, target } from './kit.mjs';
import path from 'node:path';

export const options = /** @type {const} */ ({ nodes: { type: 'string', default: '200' } });

const mostLate = 0.1;
const longestEditMs = 500;
const patienceMs = 60_000;
const edits = 5;

/** Runs in the page: the times of frames and the longest task, from one call to the next. */
const recorder = `
  window.recorded = () => {
    const { frames, tasks } = window;
    [window.frames, window.tasks] = [[], []];
    return { frames, longestTaskMs: Math.max(0, ...tasks) };
  };
  [window.frames, window.tasks] = [[], []];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
  const frame = (now) => { window.frames.push(now); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ frameMs: number[], longestTaskMs: number, ms: number }} Measured */

/** @param {Page} page @param {() => Promise<unknown>} action @returns {Promise<Measured>} */
async function measured(page, action) {
  await page.evaluate('recorded()');
  const began = performance.now();
  await action();
  const ms = performance.now() - began;
  /** @type {{ frames: number[], longestTaskMs: number }} */
  const { frames, longestTaskMs } = await page.evaluate('recorded()');
  return { frameMs: frames.slice(1).map((at, index) => at - (frames[index] ?? at)), longestTaskMs, ms };
}

const spines = ['s1', 's2', 's3', 's4'];
/** @param {number} count of all nodes */
const leavesOf = (count) => Math.floor(count / 12);
/** @param {number} count of all nodes */
const hostsOf = (count) => count - spines.length - leavesOf(count);

/** @param {number} count of all nodes */
function topologyOf(count) {
  const leaves = Array.from({ length: leavesOf(count) }, (_, index) => `l${index + 1}`);
  const hosts = Array.from({ length: hostsOf(count) }, (_, index) => `h${index + 1}`);
  const nodes = [...spines, ...leaves, ...hosts].map((name) => `  ${name}:`);
  const fabric = leaves.flatMap((leaf) => spines.map((spine) => `- ${leaf}-${spine}`));
  const access = hosts.map((host, index) => `- ${host}-${leaves[index % leaves.length]}`);
  const text = ['name: large', 'defaults.device: linux', 'nodes:', ...nodes, 'links:', ...fabric, ...access];
  return `${text.join('\n')}\n`;
}

/** @param {import('playwright-core').Locator} place */
async function boxOf(place) {
  const box = await place.boundingBox();
  must(box, 'a part of the page is not on the screen');
  return { x: box.x, y: box.y, middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 } };
}

/** Moves the pointer in a circle, for about two seconds. @param {Page} page @param {{ x: number, y: number }} from */
async function circle(page, from) {
  for (let step = 0; step <= 120; step += 1) {
    const angle = (step / 60) * 2 * Math.PI;
    await page.mouse.move(from.x + 80 * Math.sin(angle), from.y + 80 - 80 * Math.cos(angle));
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
}

/** @param {Page} page @param {{ x: number, y: number }} from */
async function drag(page, from) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await circle(page, from);
  await page.mouse.up();
}

/** @param {Page} page @param {number} count @returns {Promise<[string, Measured][]>} */
async function pointerWork(page, count) {
  const canvas = page.getByRole('application', { name: /^Drawing of / });
  const node = page.getByRole('button', { name: /^h1 linux, / });
  const { x, y, middle } = await boxOf(canvas);
  const corner = { x: x + 20, y: y + 20 };
  /** @type {[string, Measured][]} */
  const all = [['an empty page', await reference(page)]];
  all.push([`${count} nodes: pan`, await measured(page, () => drag(page, corner))]);
  all.push([
    `${count} nodes: zoom`,
    await measured(page, async () => {
      await page.mouse.move(middle.x, middle.y);
      for (let step = 0; step < 120; step += 1) {
        await page.mouse.wheel(0, step < 60 ? -30 : 30);
        await page.evaluate('new Promise(requestAnimationFrame)');
      }
    }),
  ]);
  const { middle: place } = await boxOf(node);
  all.push([`${count} nodes: move one`, await measured(page, () => drag(page, place))]);
  return all;
}

/** @param {Page} page */
async function reference(page) {
  const empty = await page.context().newPage();
  await empty.evaluate(recorder);
  const result = await measured(empty, () => circle(empty, { x: 200, y: 200 }));
  await empty.close();
  return result;
}

/** Each from the key until the drawing shows it. @param {Page} page @param {number} count @returns {Promise<[string, Measured][]>} */
async function editWork(page, count) {
  const canvas = page.getByRole('application', { name: /^Drawing of / });
  const text = page.getByRole('textbox', { name: /^Text of / });
  const newNode = page.getByRole('button', { name: new RegExp(`^h${hostsOf(count) + 1} linux, `) });
  /** @type {Measured[]} */
  const added = [];
  /** @type {Measured[]} */
  const undone = [];
  /** @type {Measured[]} */
  const typed = [];
  const shown = async (/** @type {string} */ key, /** @type {'attached' | 'detached'} */ state) =>
    measured(page, async () => {
      await page.keyboard.press(key);
      await newNode.waitFor({ state });
    });
  for (let nth = 0; nth < edits; nth += 1) {
    await canvas.focus();
    added.push(await shown('n', 'attached'));
    undone.push(await shown('Control+z', 'detached'));
    await text.focus();
    await page.keyboard.press('Control+Home');
    typed.push(await measured(page, () => page.keyboard.type('# twenty characters\n')));
  }
  return [
    [`${count} nodes: add one`, together(added)],
    [`${count} nodes: undo it`, together(undone)],
    [`${count} nodes: type 20 characters`, together(typed)],
  ];
}

/** @param {readonly Measured[]} all @returns {Measured} */
const together = (all) => ({
  frameMs: all.flatMap(({ frameMs }) => frameMs),
  longestTaskMs: Math.max(...all.map(({ longestTaskMs }) => longestTaskMs)),
  ms: median(all.map(({ ms }) => ms)),
});

/** @param {string} url @param {number} count */
async function writeTopology(url, count) {
  const reply = await fetch(`${url}/workspaces/large/files/topology.yml`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: topologyOf(count),
  });
  must(reply.ok, `the topology is refused: ${reply.status} ${await reply.text()}`);
}

/** @param {{ nodes: string }} values */
export async function bench({ nodes }) {
  const count = Number(nodes);
  const { url } = await start({
    LAB_API_CLI: 'engine',
    LAB_API_DATA_DIR: path.join(root, 'data'),
    LAB_API_WORKSPACES_DIR: path.join(root, 'workspaces'),
  });
  const browser = await launchBrowser();
  atEnd(async () => browser.close());
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  context.setDefaultTimeout(patienceMs);
  must((await fetch(`${url}/workspaces/large`, { method: 'PUT' })).ok, 'the workspace is refused');
  await writeTopology(url, count);
  const page = await context.newPage();
  await page.addInitScript(recorder);
  progress(`opening ${count} nodes`);
  const opened = performance.now();
  await page.goto(`${url}/ui/workspaces/large?file=topology.yml&view=both`);
  await page.getByRole('heading', { name: new RegExp(`: ${count} nodes`) }).waitFor();
  await page.getByRole('button', { name: /^h1 linux, / }).waitFor();
  const openMs = performance.now() - opened;
  progress('working with the pointer');
  const moves = await pointerWork(page, count);
  progress('editing');
  const changes = await editWork(page, count);
  report({ count, openMs, moves, changes });
}

/** @param {{ count: number, openMs: number, moves: [string, Measured][], changes: [string, Measured][] }} figures */
function report({ count, openMs, moves, changes }) {
  const frame = median(moves[0]?.[1].frameMs ?? []);
  /** @param {Measured} one */
  const late = ({ frameMs }) => frameMs.filter((ms) => ms > 1.5 * frame).length / frameMs.length;
  const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
  showTable(
    ['', 'frame', '95 % of frames', 'late', 'longest task', 'until drawn'],
    [...moves, ...changes].map(([title, one]) => [
      title,
      ms(median(one.frameMs)),
      ms(quantile(one.frameMs, 0.95)),
      `${(late(one) * 100).toFixed(0)} %`,
      `${one.longestTaskMs.toFixed(0)} ms`,
      changes.some(([other]) => other === title) ? `${one.ms.toFixed(0)} ms` : '',
    ]),
  );
  progress(`${count} nodes were drawn ${(openMs / 1000).toFixed(1)} s after the page was opened`);
  for (const [title, one] of moves.slice(1))
    target(
      `${title}: ${(late(one) * 100).toFixed(0)} % of frames are late (at most ${mostLate * 100})`,
      late(one) <= mostLate,
    );
  for (const [title, one] of changes.slice(0, 2))
    target(
      `${title}: drawn after ${one.ms.toFixed(0)} ms (at most ${longestEditMs})`,
      one.ms <= longestEditMs,
    );
}

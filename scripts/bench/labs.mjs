// How long lists of templates and pictures of labs take, the first time and when nothing has changed since.
// Wall time of a request to a service of its own, the median of those that follow the first one; of the first, processor time, too.
// Targets: the templates take less than a second, the first time and after it, and so does the first picture of 100 nodes. On a
// machine that is busy with other things, the processor time of the first stands for it where it is less: these requests wait
// for little else.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, processorSeconds, root, showTable, start, target } from './kit.mjs';
import { writeLabCli } from './lab-cli.mjs';

export const options = /** @type {const} */ ({
  templates: { type: 'string', default: '5000' },
  nodes: { type: 'string', default: '100,300' },
});
const limitMs = 1_000;
const repetitions = 5;

/** @param {number} count @param {string} name @param {(index: number) => string} place */
function writeTemplates(count, name, place) {
  const directory = path.join(root, name);
  for (let index = 0; index < count; index += 1) {
    const file = path.join(directory, place(index));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      file,
      `name: lab${index}\nprovider: clab\ndefaults.device: frr\nnodes: [r1, r2, r3]\nlinks: [r1-r2, r2-r3]\n`,
    );
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
  return directory;
}

/** Milliseconds of the first request, and of those that follow. @param {string} url @param {number} pid */
async function timesOf(url, pid) {
  const times = [];
  const before = processorSeconds(pid);
  let processor = 0;
  for (let nth = 0; nth <= repetitions; nth += 1) {
    const startMs = performance.now();
    const reply = await fetch(url);
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}`);
    times.push(performance.now() - startMs);
    if (nth === 0) processor = 1000 * (processorSeconds(pid) - before);
  }
  const [first = 0, ...next] = times;
  return { first, processor, next: median(next) };
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ templates, nodes }) {
  const sizes = nodes.split(',').map(Number);
  const flat = writeTemplates(Number(templates), 'flat', (index) => `lab${index}.yml`);
  const deep = writeTemplates(Number(templates), 'deep', (index) => `lab${index}/topology.yml`);
  const service = await start({
    LAB_API_CLI: writeLabCli(root, sizes),
    LAB_API_DATA_DIR: path.join(root, 'data'),
  });
  const questions = {
    [`${templates} templates in one directory`]: `/templates?dir=${flat}`,
    [`${templates} templates in as many directories`]: `/templates?dir=${deep}&recursive=true`,
    ...Object.fromEntries(sizes.map((count) => [`picture of ${count} nodes`, `/labs/${count}/topology.svg`])),
  };
  const results = [];
  for (const [name, question] of Object.entries(questions))
    results.push({ name, ...(await timesOf(service.url + question, service.pid)) });
  showTable(
    ['', 'first, ms', 'processor, ms', 'next, ms'],
    results.map(({ name, first, processor, next }) => [
      name,
      first.toFixed(0),
      processor.toFixed(0),
      next.toFixed(1),
    ]),
  );
  for (const { name, first, processor, next } of results)
    if (name.includes('templates') || name === 'picture of 100 nodes')
      target(`${name}: less than ${limitMs} ms`, Math.max(Math.min(first, processor), next) < limitMs);
}

// How long lists of templates, pictures of labs and the list of the bundled engine's labs take, the first time and when nothing has
// changed since. The list of labs is asked for with `Cache-Control: no-cache`; its labs have a state, and no namespaces.
// Wall time of a request to a service of its own, the median of those that follow the first one; of the first, processor time, too.
// Targets: the templates take less than a second, the first time and after it, and so does the first picture of 100 nodes. On a
// machine that is busy with other things, the processor time of the first stands for it where it is less: these requests wait
// for little else. A list of 200 labs takes less than half a second, each time, and others wait for
// 200 ms at most meanwhile.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, processorSeconds, root, showTable, start, target, waits } from './kit.mjs';
import { writeLabCli } from './lab-cli.mjs';

export const options = /** @type {const} */ ({
  templates: { type: 'string', default: '5000' },
  nodes: { type: 'string', default: '100,300' },
  labs: { type: 'string', default: '200' },
});
const limitMs = 1_000;
const listLimitMs = 500;
const othersLimitMs = 200;
const nodesOfLab = 4;
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

/** The state of labs that were started before the machine was. @param {number} count @param {string} home */
function writeEngineLabs(count, home) {
  mkdirSync(path.join(home, 'labs'), { recursive: true });
  const at = '2026-01-15T09:30:00.500000+00:00';
  const entry = (/** @type {string} */ id) => ({
    dir: path.join(root, 'labs', id),
    log: [`${at}: starting lab`, `${at}: started`],
    log_line: 'started',
    name: 'demo',
    providers: ['netns'],
    status: 'started',
    timestamp: at,
    topology: 'topology.yml',
  });
  const ids = Array.from({ length: count }, (_, index) => `lab${index}`);
  for (const id of ids) {
    mkdirSync(entry(id).dir, { recursive: true });
    const nodes = Array.from({ length: nodesOfLab }, (_, index) => {
      const name = `r${index}`;
      return {
        name,
        device: 'linux',
        role: 'router',
        namespace: `lab-${id}-${name}`,
        addresses: ['10.0.0.1'],
      };
    });
    writeFileSync(path.join(home, 'labs', `${id}.json`), JSON.stringify(nodes));
  }
  writeFileSync(
    path.join(home, 'status.json'),
    JSON.stringify(Object.fromEntries(ids.map((id) => [id, entry(id)]))),
  );
}

/** @param {number} count */
async function listOfEngineLabs(count) {
  const home = path.join(root, 'engine');
  writeEngineLabs(count, home);
  const service = await start({
    LAB_API_CLI: 'engine',
    LAB_HOME: home,
    LAB_API_DATA_DIR: path.join(root, 'engine-data'),
  });
  const { result, longest } = await waits(service.url, () => timesOf(`${service.url}/labs`, service.pid));
  return { ...result, othersWaited: longest };
}

/** Milliseconds of the first request, and of those that follow. @param {string} url @param {number} pid */
async function timesOf(url, pid) {
  const times = [];
  const costs = [];
  for (let nth = 0; nth <= repetitions; nth += 1) {
    const startMs = performance.now();
    const before = processorSeconds(pid);
    const reply = await fetch(url, url.endsWith('/labs') ? { headers: { 'Cache-Control': 'no-cache' } } : {});
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}`);
    times.push(performance.now() - startMs);
    costs.push(1000 * (processorSeconds(pid) - before));
  }
  const [first = 0, ...next] = times;
  const [processor = 0, ...nextCosts] = costs;
  return { first, processor, next: median(next), nextProcessor: median(nextCosts) };
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ templates, nodes, labs }) {
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
  const list = { name: `list of ${labs} labs of the engine`, ...(await listOfEngineLabs(Number(labs))) };
  results.push(list);
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
  const longest = Math.max(Math.min(list.first, list.processor), Math.min(list.next, list.nextProcessor));
  target(`${list.name}: less than ${listLimitMs} ms`, longest < listLimitMs);
  target(
    `${list.name}: others wait for ${list.othersWaited.toFixed(0)} ms meanwhile (at most ${othersLimitMs})`,
    list.othersWaited <= othersLimitMs,
  );
}

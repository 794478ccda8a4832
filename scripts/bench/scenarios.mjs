// Measures scenarios: every single link failure of a lab of 20 FRR routers with 30 links and 4 flows (for netlab, in namespaces),
// and of the engine's ring of 20 routers with static routes. For root, with fping; without netlab and FRR, the first is left out.
// The processor time is that of fping and of the program of the scenario, for each flow.
// Targets: at most 5 minutes, at most 1 minute, and at most 2 % of a processor for a flow of 50 probes a second.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, endOf } from '../lib/http.mjs';
import { progress, root, showTable, start, target } from './kit.mjs';

export const options = /** @type {const} */ ({ routers: { type: 'string', default: '20' } });

const flowsOfLab = 4;
const sampleMs = 1_000;
const multilabId = 61;

/** @param {number} routers */
const namesOf = (routers) => Array.from({ length: routers }, (_, index) => `r${index + 1}`);

/** @param {number} routers */
const ringOf = (routers) => namesOf(routers).map((name, index) => `${name}-r${((index + 1) % routers) + 1}`);

/** A ring whose opposite routers are joined too, with a host at four of them. @param {number} routers */
function meshOf(routers) {
  const chords = Array.from(
    { length: routers / 2 },
    (_, index) => `r${index + 1}-r${index + 1 + routers / 2}`,
  );
  const step = routers / flowsOfLab;
  const hosts = Array.from({ length: flowsOfLab }, (_, index) => ({
    name: `h${index + 1}`,
    at: `r${index * step + 1}`,
  }));
  const links = [...ringOf(routers), ...chords, ...hosts.map(({ name, at }) => `${name}-${at}`)];
  const nodes = [
    ...namesOf(routers).map((name) => `${name}: {}`),
    ...hosts.map(({ name }) => `${name}: {device: linux}`),
  ];
  return {
    topology: `name: mesh\nprovider: clab\ndefaults.device: frr\nmodule: [ospf]\nospf.timers: {hello: 1, dead: 4}\nnodes: {${nodes.join(', ')}}\nlinks: [${links.join(', ')}]\n`,
    scenario: {
      flows: hosts.map(({ name }, index) => ({
        from: name,
        to: `h${((index + 1) % flowsOfLab) + 1}`,
        family: 'ipv4',
      })),
      each: { of: 'link' },
      steady: { for: '2s' },
      expect: { outage: '10s' },
      hold: '20s',
    },
  };
}

/** @param {number} routers */
function staticRing(routers) {
  const nodes = [...namesOf(routers).map((name) => `${name}: {role: router}`), 'h1: {}', 'h2: {}'];
  const links = [...ringOf(routers), 'h1-r1', `h2-r${routers / 2 + 1}`];
  return {
    topology: `defaults.device: linux\nnodes: {${nodes.join(', ')}}\nlinks: [${links.join(', ')}]\n`,
    scenario: {
      flows: [{ from: 'h1', to: 'h2', family: 'ipv4' }],
      each: { of: 'link' },
      steady: { for: '300ms' },
      hold: '1s',
    },
  };
}

/** The processes of the probes, and of the program that reads them. */
function probing() {
  return readdirSync('/proc').filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0] === 'fping' || words[1]?.endsWith('scenarios/run/main.js');
    } catch {
      return false;
    }
  });
}

/**
 * Seconds that all threads of a process ran: schedstat of proc(5), in nanoseconds. `stat` counts whole ticks, which is too much
 * for programs that wake up with the tick and run for a tenth of it.
 *
 * @param {string} pid
 */
function onProcessor(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds = 0] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    return sum + nanoseconds / 1e9;
  }, 0);
}

/** Samples while the scenario runs; processes that have ended meanwhile are not counted. */
function usedSeconds() {
  return probing().reduce((sum, pid) => {
    try {
      return sum + onProcessor(pid);
    } catch {
      return sum;
    }
  }, 0);
}

/**
 * @param {string} url
 * @param {string} cli
 * @param {{ topology: string, scenario: { flows: readonly unknown[] } }} lab
 */
async function measure(url, cli, { topology, scenario }) {
  const workdir = path.join(root, cli);
  mkdirSync(workdir);
  const place = { cli, workdir };
  const run = async (/** @type {object} */ request) =>
    endOf(url, (await call(`${url}/jobs`, { ...place, ...request })).id);
  try {
    const id = cli === 'engine' ? { multilabId } : {};
    const up = await run({ action: 'up', topology, waitReadySeconds: 120, ...id });
    if (up.state !== 'success') throw new Error(`the lab of ${cli} did not start: ${up.error}`);
    progress(`the lab of ${cli} is up`);
    let used = 0;
    const sampler = setInterval(() => {
      used = Math.max(used, usedSeconds());
    }, sampleMs);
    const job = await run({ action: 'scenario', scenario }).finally(() => clearInterval(sampler));
    if (job.result?.complete !== true) throw new Error(`the scenario of ${cli} ended early: ${job.error}`);
    const seconds = (Date.parse(job.finishedAt) - Date.parse(job.startedAt)) / 1_000;
    const { passed, failed } = job.result;
    progress(`${cli}: ${seconds.toFixed(0)} s, ${passed} passed, ${failed} failed`);
    return { seconds, share: (used / seconds / scenario.flows.length) * 100, passed, failed };
  } finally {
    await run({ action: 'down', cleanup: true, force: true });
  }
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ routers }) {
  const count = Number(routers);
  const hasNetlab = spawnSync('netlab', ['version']).status === 0;
  const clis = hasNetlab ? 'netlab,engine' : 'engine';
  const { url } = await start({
    LAB_API_CLIS: clis,
    LAB_API_RUNTIME: 'namespaces',
    LAB_API_DATA_DIR: path.join(root, 'data'),
  });
  const mesh = hasNetlab ? await measure(url, 'netlab', meshOf(count)) : undefined;
  const ring = await measure(url, 'engine', staticRing(count));
  const row = (/** @type {string} */ name, /** @type {typeof ring} */ { seconds, passed, failed, share }) => [
    name,
    `${seconds.toFixed(0)} s`,
    `${passed} of ${passed + failed}`,
    `${share.toFixed(2)} %`,
  ];
  const rows = [
    ...(mesh ? [row(`${count} OSPF routers, ${count * 1.5} links, ${flowsOfLab} flows`, mesh)] : []),
    row(`ring of ${count} routers with static routes, 1 flow`, ring),
  ];
  showTable(['every link fails once', 'time', 'passed', 'processor for a flow'], rows);
  target('20 OSPF routers take at most 5 minutes', mesh && mesh.seconds <= 300);
  target('the ring with static routes takes at most a minute', ring.seconds <= 60);
  target('a flow takes at most 2 % of a processor', (mesh ?? ring).share <= 2);
}

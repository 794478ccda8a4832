// Measures what is left when the service is killed (SIGKILL) with terminals open: for how long, and the processor time of all of
// that, exits of the programs included. Every tenth terminal has programs that ignore its end. Runs in a PID namespace, whose
// first process takes in what the service leaves, and so learns its processor time; needs root, or user namespaces.
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { confine, isConfined } from '../lib/confine.mjs';
import { cpuSecondsOf } from '../lib/process-usage.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { must } from '../lib/words.mjs';
import { progress, root, showTable, start, target } from './kit.mjs';
import { writeLabCli } from './lab-cli.mjs';

export const options = /** @type {const} */ ({ terminals: { type: 'string', default: '500' } });
const [mostSeconds, mostProcessorSeconds, patienceSeconds] = [2, 1, 120];
const labSize = 20;
/** Terminals that are opened at once. */
const lanes = 8;
const stubborn = `(trap '' HUP TERM; setsid sh -c 'sleep 1000 & exec sleep 1000' & exec sleep 1000) &`;

/** @param {string} url @param {number} index */
async function open(url, index) {
  const node = `s${(index % 2) + 1}`;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/labs/${labSize}/nodes/${node}/terminal`);
  socket.on('error', () => undefined);
  let printed = '';
  const ready = new Promise((resolve) => {
    socket.on('message', (/** @type {Buffer} */ data, isBinary) => {
      if (isBinary) printed += data.toString('utf8');
      if (printed.includes('ready\r\n')) resolve(undefined);
    });
  });
  await once(socket, 'open');
  socket.send(Buffer.from(`${index % 10 === 0 ? stubborn : ''} echo rea''dy\r`));
  await ready;
}

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Seconds that these processes and their children that have ended used so far: proc(5), `schedstat` in nanoseconds. @param {readonly number[]} pids */
function used(pids) {
  let seconds = 0;
  for (const pid of pids) {
    try {
      seconds += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
      const { endedChildren } = cpuSecondsOf(pid);
      seconds += endedChildren;
    } catch {
      // It has ended since it was listed.
    }
  }
  return seconds;
}

async function measure(/** @type {number} */ count) {
  const before = new Set(processes());
  const ground = path.join(root, 'labs');
  mkdirSync(ground);
  const service = await start({
    LAB_API_CLI: writeLabCli(ground, [labSize], 'libvirt'),
    LAB_API_DATA_DIR: path.join(root, 'data'),
    LAB_API_MAX_TERMINALS: String(count),
  });
  let opened = 0;
  const lane = async () => {
    for (let index = opened++; index < count; index = opened++) await open(service.url, index);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  progress(`${count} terminals opened in ${((performance.now() - began) / 1000).toFixed(1)} s`);

  // Ours, and our service as our child, are not counted.
  const left = () => processes().filter((pid) => !before.has(pid) && pid !== service.pid);
  const first = left();
  const usedBefore = used([...first, 1]);
  const killed = performance.now();
  process.kill(service.pid, 'SIGKILL');
  const seconds = () => (performance.now() - killed) / 1000;
  while (left().length > 0 && seconds() < patienceSeconds) await delay(10);
  const tookSeconds = seconds();
  const processorSeconds = used([...left(), 1]) - usedBefore;
  showTable(
    ['terminals', 'processes', 'until nothing is left', 'processor time'],
    [[count, first.length, `${tookSeconds.toFixed(2)} s`, `${processorSeconds.toFixed(2)} s`]],
  );
  target(`nothing is left within ${mostSeconds} s`, tookSeconds < mostSeconds);
  target(`less than ${mostProcessorSeconds} s of a processor`, processorSeconds < mostProcessorSeconds);
}

/** @param {{ terminals: string }} values */
export async function bench({ terminals }) {
  if (isConfined()) return measure(Number(terminals));
  const exitCode = await confine(temporaryDirectory('lab-api-terminals'), { hasOwnNetwork: true });
  must(exitCode === 0, 'see above');
}

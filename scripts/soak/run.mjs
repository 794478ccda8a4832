/** The service of a soak, the lanes that use it, and the readings. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { built } from '../lib/built.mjs';
import { plainEnvironment, program, root, startService } from '../lib/service.mjs';
import { messageOf, must } from '../lib/words.mjs';
import { activities } from './activities.mjs';
import { growthIn, readFigures } from './figures.mjs';

/** Forty, and fewer in a short run: a reading stops the service for a moment. */
const readingsIn = (/** @type {number} */ minutes) => Math.min(40, Math.ceil(minutes * 20));
const password = 'a long password';
/** How long an activity may take to its end. */
const patienceMs = 30_000;

/** The settings keep few ended jobs: otherwise the disk would rightly grow. @param {string} temporary */
function makeSettings(temporary) {
  must(!spawnSync('ping', ['-V']).error, 'ping is not on PATH, and the labs of a soak need it');
  const usersFile = path.join(temporary, 'users.yaml');
  execFileSync(process.execPath, [program, 'user', 'add', 'ops', '--role', 'admin', '--file', usersFile], {
    input: `${password}\n`,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: plainEnvironment(),
  });
  const settings = path.join(temporary, 'settings.env');
  writeFileSync(settings, 'LAB_API_MAX_RUNNING_JOBS=4\n', { mode: 0o600 });
  mkdirSync(path.join(temporary, 'home'));
  return {
    ...plainEnvironment(),
    HOME: path.join(temporary, 'home'),
    LAB_HOME: path.join(temporary, 'home'),
    LAB_API_CLI: 'engine',
    LAB_API_DATA_DIR: path.join(temporary, 'data'),
    LAB_API_USERS_FILE: usersFile,
    LAB_API_SETTINGS_FILE: settings,
    LAB_API_KEEP_JOBS: '50',
    LAB_API_MIN_FREE_DISK: '1MiB',
    SOAK_PROBE: path.join(temporary, 'probe.json'),
  };
}

/** The clients of an administrator and of others, for the activities. @param {string} url of the service */
async function makeClients(url) {
  const { LabApiClient } = await built('client/public.js');
  const openSocket = (/** @type {URL} */ address, /** @type {Record<string, string>} */ headers) =>
    new WebSocket(address, { headers });
  const clientOf = (/** @type {object} */ credentials) => new LabApiClient({ url, credentials, openSocket });
  const headers = { Authorization: `Basic ${btoa(`ops:${password}`)}` };
  return {
    client: clientOf({ user: 'ops', password }),
    clientWith: (/** @type {string} */ token) => clientOf({ token }),
    remove: async (/** @type {string} */ target) => {
      const { status } = await fetch(url + target, { method: 'DELETE', headers });
      must(status === 204, `DELETE ${target} answered ${status}`);
    },
  };
}

/**
 * Does it until the end. After a violation it waits, so that a service that is gone does not fill the list.
 * @param {typeof activities[number]['act']} act
 * @param {import('./activities.mjs').Means} means
 * @param {{ violations: string[], done: Map<string, number> }} notes
 */
async function runLane(act, means, { violations, done }) {
  while (!means.signal.aborted) {
    try {
      await act(means);
      done.set(act.name, (done.get(act.name) ?? 0) + 1);
    } catch (error) {
      violations.push(`${act.name}: ${messageOf(error)}`);
      await delay(1_000);
    }
  }
}

/** @param {Parameters<typeof readFigures>[0]} service @param {number} minutes */
async function takeReadings(service, minutes) {
  const readings = [];
  const readingCount = readingsIn(minutes);
  for (let count = 1; count <= readingCount; count += 1) {
    await delay((minutes * 60_000) / readingCount);
    const reading = await readFigures(service);
    readings.push(reading);
    const words = Object.entries(reading).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
    console.log(`${String(count).padStart(2)}/${readingCount}: ${words.join(', ')}`);
  }
  return readings;
}

/** Prints how each figure grew, and gives those that grew too much. @param {readonly import('./figures.mjs').Reading[]} readings @param {number} minutes */
function judge(readings, minutes) {
  const violations = [];
  for (const { name, unit, most, last, growth } of growthIn(readings, minutes)) {
    const grew = `${growth.toFixed(2)} ${unit}`.trim();
    console.log(
      `${name}: ${last.toFixed(1)}, growth in the second half: ${grew} (${most === Infinity ? 'the run is too short to judge it' : `at most ${most}`})`,
    );
    if (growth > most) violations.push(`${name} grew by ${grew} in the second half`);
  }
  return violations;
}

/**
 * @param {{ temporary: string, minutes: number, random: import('../lib/random.mjs').Random }} means
 * @returns {Promise<import('../lib/trial.mjs').Trial>}
 */
export async function buildSoak({ temporary, minutes, random }) {
  const env = makeSettings(temporary);
  const file = path.join(root, 'scripts/soak/probed-service.mjs');
  const service = await startService({ env, file });
  const clients = await makeClients(service.url);
  const over = new AbortController();
  /** @type {{ violations: string[], done: Map<string, number> }} */
  const notes = { violations: [], done: new Map() };
  const { violations, done } = notes;
  return {
    violations,
    accepted: () => (done.get('jobs') ?? 0) + 2 * (done.get('labs') ?? 0),
    run: async () => {
      const all = activities.flatMap(({ act, lanes }) => Array(lanes).fill(act));
      const running = all.map(async (act, lane) =>
        runLane(act, { ...clients, random, lane: String(lane), signal: over.signal }, notes),
      );
      const about = { pid: service.child.pid ?? 0, probe: env.SOAK_PROBE, dataDir: env.LAB_API_DATA_DIR };
      const readings = await takeReadings(about, minutes);
      over.abort();
      // A follower may wait for an event that does not come any more.
      await Promise.race([Promise.all(running), delay(patienceMs)]);
      console.log([...done].map(([name, times]) => `${name} ${times}`).join(', '));
      const errors = service
        .said()
        .split('\n')
        .filter((line) => line.includes('"level":"error"'));
      violations.push(...judge(readings, minutes), ...errors.map((line) => `the service logged ${line}`));
    },
    end: async () => {
      over.abort();
      await service.end();
    },
  };
}

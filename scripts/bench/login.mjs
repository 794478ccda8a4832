// Measures how long others take to log in while strangers guess: the built service with a users file (scrypt and bcrypt), and
// wrong logins from many addresses, half of them at names that exist. Targets: 99 of 100 logins take at most 200 ms, and the
// guesses go out at their rate.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { built } from '../lib/built.mjs';
import { must, say } from '../lib/words.mjs';
import { atEnd, processorSeconds, quantile, root, start, target } from './kit.mjs';

const { hashPassword } = await built('access/passwords/password-hash.js');
export const options = /** @type {const} */ ({
  rate: { type: 'string', default: '1000' },
  addresses: { type: 'string', default: '2000' },
  seconds: { type: 'string', default: '20' },
});
const limitMs = 200;
const everyMs = 100;
/** A hash takes its time without any guesses, too: newcomers that come faster would wait for each other. */
const turnsPerNewcomer = 5;
const bcryptCost = 10;
const password = 'right';
const token = 'tok_0000000a_secret-of-the-token';
/** Names that strangers guess at. */
const attacked = ['ann', 'bob', 'cleo', 'dan'];

/** @param {number} newcomers */
async function writeUsers(newcomers) {
  const hashes = [await hashPassword(password), hashSync(password, bcryptCost)];
  const user = (/** @type {string} */ name, /** @type {number} */ kind) => ({
    name,
    role: 'viewer',
    password: hashes[kind % hashes.length],
  });
  const sha256 = createHash('sha256').update(token).digest('hex');
  const users = [
    ...attacked.map(user),
    ...Array.from({ length: newcomers }, (_, index) => user(`new-${index}`, index)),
    { name: 'ci', role: 'operator', tokens: [{ id: token.slice(0, 12), sha256 }] },
  ];
  const file = path.join(root, 'users.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ users }), { mode: 0o600 });
  return file;
}

/**
 * The status of a reply, how long it took, and its cookie; over a connection of its own.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, localAddress?: string }} message
 */
async function ask(url, { body, ...message }) {
  const startedMs = performance.now();
  const request = http.request(url, { ...message, agent: false });
  request.end(body);
  const [reply] = /** @type {[http.IncomingMessage]} */ (await once(request, 'response'));
  reply.resume();
  await once(reply, 'end');
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { status: reply.statusCode, ms: performance.now() - startedMs, cookie };
}

/** @param {string} user */
const basic = (user) => ({ Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });

/** @param {string} url */
async function waysIn(url) {
  const body = JSON.stringify({ user: 'ann', password });
  const { cookie, status } = await ask(`${url}/session`, { method: 'POST', body });
  must(status === 200, `the first login was answered ${status}`);
  const jobs = `${url}/jobs`;
  return {
    'a password, for the first time': (/** @type {number} */ turn) =>
      ask(jobs, {
        headers: basic(`new-${turn}`),
        localAddress: `127.1.${turn >> 8}.${turn & 255 || 1}`,
      }),
    'a password, again': () => ask(jobs, { headers: basic('ann') }),
    'a token': () => ask(jobs, { headers: { Authorization: `Bearer ${token}` } }),
    'a session': () => ask(jobs, { headers: { Cookie: cookie } }),
    'a probe without a login': () => ask(`${url}/healthz`, {}),
  };
}

/**
 * Lets each client log in, one after the other, at fixed moments, until the time is over.
 * @param {Awaited<ReturnType<typeof waysIn>>} ways
 * @param {number} turns
 * @param {number} firstTurn
 */
async function measure(ways, turns, firstTurn) {
  const rows = Object.entries(ways).map(([name, logIn]) => ({
    name,
    logIn,
    times: /** @type {number[]} */ ([]),
    refused: 0,
  }));
  const waiting = [];
  for (let turn = firstTurn; turn < firstTurn + turns; turn += 1) {
    for (const [index, row] of rows.entries()) {
      // The newcomers are the first row.
      if (index === 0 && turn % turnsPerNewcomer !== 0) continue;
      const note = async () => {
        const { status, ms } = await row.logIn(turn);
        row.times.push(ms);
        if (status !== 200) row.refused += 1;
      };
      waiting.push(note());
    }
    await delay(everyMs);
  }
  await Promise.all(waiting);
  return rows.map(({ name, times, refused }) => ({
    name,
    refused,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    most: quantile(times, 1),
  }));
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Rows */

/** @param {string} title @param {Rows} rows */
function show(title, rows) {
  say(title);
  for (const { name, p50, p99, most, refused } of rows) {
    const numbers = [p50, p99, most].map((ms) => ms.toFixed(1).padStart(7)).join(' ');
    say(
      `  ${name.padEnd(31)} ${numbers} ms (half, 99 of 100, all)${refused > 0 ? `, ${refused} refused` : ''}`,
    );
  }
}

/** @param {string} url @param {{ rate: string, addresses: string }} values */
function startFlood(url, { rate, addresses }) {
  const file = path.join(import.meta.dirname, 'login', 'flood.mjs');
  const words = [file, url, rate, addresses, attacked.join(',')];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill());
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  return async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
    return /** @type {{ sent: number, seconds: number, unanswered: number, statuses: Record<string, number> }} */ (
      JSON.parse(said)
    );
  };
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench(values) {
  const turns = Math.floor((Number(values.seconds) * 1000) / everyMs);
  const { url, pid } = await start({
    LAB_API_DATA_DIR: path.join(root, 'data'),
    LAB_API_CLI: 'engine',
    LAB_API_USERS_FILE: await writeUsers(2 * turns),
    LAB_API_PUBLIC_HEALTHZ: 'true',
  });
  const ways = await waysIn(url);
  show('no other client', await measure(ways, Math.min(turns, 50), 0));
  const before = processorSeconds(pid);
  const endFlood = startFlood(url, values);
  await delay(1_000);
  const rows = await measure(ways, turns, turns);
  const { sent, seconds, unanswered, statuses } = await endFlood();
  const cores = (processorSeconds(pid) - before) / seconds;
  show(`${Math.round(sent / seconds)} wrong logins a second from ${values.addresses} addresses`, rows);
  say(
    `  answered ${JSON.stringify(statuses)}, ${unanswered} were waiting; the service took ${cores.toFixed(2)} of a core`,
  );
  for (const { name, p99, refused } of rows)
    target(`${name}: 99 of 100 within ${limitMs} ms, none refused`, p99 <= limitMs && refused === 0);
  target('the guesses went out at their rate', sent / seconds >= 0.95 * Number(values.rate));
}

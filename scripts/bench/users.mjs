// Measures checks of passwords and a large users file: how long a check by scrypt and by bcrypt (--cost) takes, and how long it
// blocks the event loop at most; how many users the largest users file (256 KiB) has, and the processor time that reading takes.
import { compare, hash as hashOfBcrypt } from 'bcryptjs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { built } from '../lib/built.mjs';
import { median, showTable, timed } from './kit.mjs';
import { say } from '../lib/words.mjs';

export const options = /** @type {const} */ ({ cost: { type: 'string', default: '12' } });

const { hashPassword, isPassword } = await built('access/passwords/password-hash.js');
const { parseYaml, usersOf } = await built('access/users/parse-users.js');
const repetitions = 5;

/** Milliseconds. @param {() => Promise<unknown>} work */
async function measured(work) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const times = [];
  for (let count = 0; count < repetitions; count += 1) times.push(await timed(work));
  // A turn that lasted is noted by the next one.
  await delay(20);
  delays.disable();
  return [median(times).toFixed(0), (delays.max / 1e6).toFixed(0)];
}

/** @param {string} hash */
const check = (hash) => async () => await isPassword({ kind: 'hash', hash }, 'a password');

/** @param {{ cost: string }} values */
export async function bench({ cost }) {
  const ofBcrypt = await hashOfBcrypt('a password', Number(cost));
  const kept = await hashPassword('a password');
  showTable(
    ['check', 'takes (ms)', 'keeps the loop (ms)'],
    [
      ['scrypt', ...(await measured(check(kept)))],
      [`bcrypt, cost ${cost}`, ...(await measured(check(ofBcrypt)))],
      [`bcryptjs alone, cost ${cost}`, ...(await measured(async () => compare('a password', ofBcrypt)))],
    ],
  );
  const entry = (/** @type {number} */ at) =>
    `  - name: user${at}\n    role: operator\n    password: ${kept}\n    tokens: []\n`;
  let text = 'users:\n';
  let users = 0;
  for (; text.length + entry(users).length <= 256 * 1024; users += 1) text += entry(users);
  const times = Array.from({ length: repetitions }, () => {
    const before = process.cpuUsage();
    usersOf(parseYaml(text));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  say(`256 KiB: ${users} users, ${median(times).toFixed(0)} ms`);
}

#!/usr/bin/env node
// Sends wrong logins at a fixed rate, in turns from many addresses of 127.0.0.0/8, until SIGTERM. Then it prints the number of
// guesses and of answers by status, as JSON. bench login starts it:
//   scripts/bench/login/flood.mjs URL RATE ADDRESSES NAMES
// NAMES: user names with commas between them; every second guess is at a name without a user.
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const [url = '', rate = '', addresses = '', names = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const known = names.split(',');

/** @type {Record<string, number>} */
const statuses = {};
let sent = 0;
let unanswered = 0;

/** @param {string} text */
function note(text) {
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    unanswered -= 1;
  }
}

/** A connection from an address of its own, made when it is first needed. @param {number} index */
function connectFrom(index) {
  const localAddress = `127.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255 || 1}`;
  const socket = net.connect({ host: hostname, port: Number(port), localAddress });
  socket.setEncoding('latin1').on('data', note);
  socket.on('error', () => undefined);
  return socket;
}

/** @type {Map<number, net.Socket>} */
const sockets = new Map();

/** @param {number} number */
function guess(number) {
  const index = number % Number(addresses);
  const open = sockets.get(index);
  const socket = open && !open.destroyed ? open : connectFrom(index);
  sockets.set(index, socket);
  const name = number % 2 === 0 ? known[(number / 2) % known.length] : `nobody-${number}`;
  const words = Buffer.from(`${name}:guess-${number}`).toString('base64');
  socket.write(`GET /jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${words}\r\n\r\n`);
  sent += 1;
  unanswered += 1;
}

const startedMs = performance.now();
process.once('SIGTERM', () => {
  const seconds = (performance.now() - startedMs) / 1000;
  process.stdout.write(`${JSON.stringify({ sent, seconds, unanswered, statuses })}\n`);
  process.exit();
});

for (;;) {
  const due = ((performance.now() - startedMs) / 1000) * Number(rate);
  while (sent < due) guess(sent);
  await delay(5);
}

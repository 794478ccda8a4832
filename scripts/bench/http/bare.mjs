// The server that the service is compared with, as a process of its own: bare.mjs express|http BYTES
// It answers a GET with a body of that size, with the code that the first page of the manual shows.
// Prints its port; ends with its parent.
import express from 'express';
import http from 'node:http';

const [kind, bytes] = process.argv.slice(2);
const body = 'x'.repeat(Number(bytes));

function handler() {
  if (kind === 'express') return express().get('/', (_request, response) => void response.send(body));
  return (/** @type {http.IncomingMessage} */ _request, /** @type {http.ServerResponse} */ response) =>
    void response.end(body);
}

const server = http.createServer(handler()).listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
});
process.stdin.on('end', () => process.exit()).resume();

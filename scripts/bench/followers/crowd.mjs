// A worker thread: follows a log many times, and reports when the log has begun to come for the last follower.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ url: string, accept: string, count: number, atOnce: number }} atOnce: followers whose log has not begun to come */
const { url, accept, count, atOnce } = workerData;
const { hostname, port, pathname } = new URL(url);
const request = `GET ${pathname}?follow=true HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: ${accept}\r\n\r\n`;
/** Longer than the head of the reply and its first event. */
const begunBytes = 8 * 1024;
let [started, begun] = [0, 0];

function follow() {
  started += 1;
  let bytes = 0;
  const socket = connect(Number(port), hostname, () => void socket.write(request));
  socket.on('data', (data) => {
    if (bytes < begunBytes && bytes + data.length >= begunBytes) noteBegun();
    bytes += data.length;
  });
  socket.on('error', (error) => {
    throw error;
  });
}

function noteBegun() {
  begun += 1;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  if (begun === count) parentPort?.postMessage('begun');
  if (started < count) follow();
}

while (started < Math.min(count, atOnce)) follow();

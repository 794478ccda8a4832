/** A thread that checks one password: even the asynchronous bcryptjs would block the event loop for 100 ms at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

export interface BcryptTask {
  readonly hash: string;
  readonly text: string;
}

const { hash, text } = workerData as BcryptTask;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
parentPort?.postMessage(compareSync(text, hash));

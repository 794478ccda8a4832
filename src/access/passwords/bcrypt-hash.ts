import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { deferred } from '../../lib/async/deferred.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import type { BcryptTask } from './bcrypt-worker.ts';

/** The default of `htpasswd -B` is 5, and the least cost of bcrypt is 4. A cost of 14 takes some seconds. */
const costs = { least: 4, most: 14 };

/** `$2b$` or one of its older names, a cost, 22 characters of salt and 31 of hash. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** The built file, also for tests, which run the sources: a thread of Node runs no TypeScript. */
const program = pathToFileURL(packageFile('dist', 'access', 'passwords', 'bcrypt-worker.js'));

/** Returns the mistake in a hash as a sentence; undefined if there is none. */
export function bcryptProblem(hash: string): string | undefined {
  const cost = form.exec(hash)?.[1];
  if (cost === undefined) return 'is no bcrypt hash';
  if (Number(cost) < costs.least) return `is a bcrypt hash of a cost below ${costs.least}, which is none`;
  if (Number(cost) > costs.most)
    return `is a bcrypt hash of cost ${Number(cost)}: more than ${costs.most} takes too long to check`;
  return undefined;
}

/** False for a malformed hash. bcrypt uses only the first 72 bytes of a password, to make a hash and to check one. */
export async function isOfBcrypt(hash: string, text: string): Promise<boolean> {
  if (bcryptProblem(hash) !== undefined) return false;
  const verdict = deferred<boolean>();
  const task: BcryptTask = { hash, text };
  const worker = new Worker(program, { workerData: task, env: {}, stdout: true, stderr: true });
  worker.unref();
  worker
    .once('message', verdict.resolve)
    .once('error', verdict.reject)
    .once('exit', () => verdict.reject(new Error('the thread that checks a password has ended')));
  return verdict.promise;
}

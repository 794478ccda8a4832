// A host of the cluster without a service: it announces itself, takes jobs and indexes them as any other host, but keeps them in
// memory, where they wait for ever. Called with the URL of Redis, the secret of the cluster, a directory and a name; answers any
// message of its parent with the jobs that it has taken.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import os from 'node:os';
import { built } from '../../lib/built.mjs';

const [redisUrl = '', secret = '', dataDir = '', name = ''] = process.argv.slice(2);
const { Cluster } = await built('cluster/cluster.js');

/** @type {Map<string, Record<string, unknown>>} */
const jobs = new Map();
/** Key of a request → its job. @type {Map<string, Record<string, unknown>>} */
const made = new Map();
/** From the client to here, in ms. @type {number[]} */
const delays = [];

/** The fields of a job that the index needs. @param {any} body */
function newJob(body) {
  const now = Date.now();
  return {
    id: `job-${now}-${randomBytes(3).toString('hex')}`,
    state: 'queued',
    action: body.action,
    instance: null,
    workdir: `/labs/${name}/${jobs.size}`,
    workspace: null,
    labels: body.labels,
    createdAt: new Date(now).toISOString(),
    finishedAt: null,
    requestedBy: null,
    cleanupOf: null,
    host: '',
  };
}

// A host that the others do not reach gets no labs: they ask for what it says of itself.
const server = http.createServer((_request, reply) => {
  reply.end(JSON.stringify({ id: cluster.id, isThis: true }));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

const own = {
  name,
  facts: () => ({
    name,
    url: `http://127.0.0.1:${port}`,
    pin: null,
    version: 'simulated',
    labels: ['simulated'],
    capacity: 4,
    running: 0,
    queued: jobs.size,
    memoryBytes: os.totalmem(),
    freeMemoryBytes: os.totalmem() / 2,
    labs: [],
  }),
  jobIds: () => [...jobs.keys()],
  rowOf: (/** @type {string} */ id) => jobs.get(id),
  places: () => Promise.resolve([]),
  claims: () => [],
  hasRoom: () => true,
  isOwnKey: (/** @type {{ key: string }} */ { key }) => made.has(key),
  isOwnPlace: () => Promise.resolve(false),
  submit: (
    /** @type {any} */ body,
    /** @type {unknown} */ _asker,
    /** @type {{ key: string }} */ { key },
  ) => {
    const known = made.get(key);
    if (known) return Promise.resolve({ job: known, isReplayed: true });
    delays.push(Date.now() - Number(body.labels.sentAtMs));
    const job = newJob(body);
    jobs.set(job.id, job);
    made.set(key, job);
    cluster.noteJob(job.id);
    return Promise.resolve({ job, isReplayed: false });
  },
  cancel: () => Promise.resolve(undefined),
  onForged: () => undefined,
};

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: console.error, error: console.error };
const cluster = new Cluster({ redisUrl, secret, dataDir, own, log });
await cluster.prepare();
await cluster.open();
process.on('message', () => process.send?.({ jobs: jobs.size, delays }));
// The parent process is gone.
process.on('disconnect', () => process.exit());

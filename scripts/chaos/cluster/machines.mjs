// The hosts of a cluster: services, each with data, a home and workspaces of its own.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../lib/service.mjs';
import { Service } from '../service.mjs';

/** @typedef {import('../service.mjs').Place} Place */

const secret = randomBytes(32).toString('base64');

/** A service of the cluster, with all that is its own. */
export class Host extends Service {
  /**
   * @param {{ name: string, labels: readonly string[], place: Place, directory: string, redisUrl: string,
   *   environment?: Readonly<Record<string, string>>, file?: string }} means file: another build of the program
   */
  constructor({ name, labels, place, directory, redisUrl, environment = {}, file }) {
    const inside = (/** @type {string} */ part) => path.join(directory, part);
    for (const one of [directory, inside('home'), inside('state')]) mkdirSync(one);
    const settings = {
      PATH: process.env.PATH,
      HOME: inside('home'),
      LAB_HOME: inside('home'),
      FAKE_LAB_STATE: inside('state'),
      LAB_API_CLI: path.join(root, 'tests/fixtures/programs/fake-netlab'),
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
      LAB_API_CANCEL_GRACE: '300ms',
      LAB_API_MIN_FREE_DISK: '1MiB',
      LAB_API_MAX_RUNNING_JOBS: '6',
      LAB_API_MAX_QUEUED_JOBS: '40',
      LAB_API_REDIS_URL: redisUrl,
      LAB_API_CLUSTER_SECRET: secret,
      LAB_API_HOST_NAME: name,
      LAB_API_HOST_LABELS: labels.join(','),
      ...environment,
    };
    super(settings, place, file);
    this.name = name;
    this.labels = labels;
    this.state = inside('state');
    this.dataDir = inside('data');
  }

  /** Its id, which it keeps. */
  get id() {
    return String(JSON.parse(readFileSync(path.join(this.dataDir, 'host.json'), 'utf8')).id);
  }

  /** The records of its jobs, as they are on its disk. @returns {any[]} */
  keptJobs() {
    const directory = path.join(this.dataDir, 'jobs');
    const ids = readdirSync(directory).filter((id) => id.startsWith('job-'));
    return ids.map((id) => JSON.parse(readFileSync(path.join(directory, id, 'job.json'), 'utf8')));
  }

  /** @override @param {readonly string[]} lines */
  noteErrors(lines) {
    // That Redis is away is what is done to it.
    const own = lines.filter((line) => !line.includes('Redis is away'));
    this.errors.push(...own.map((line) => `${this.name} logged ${line}`));
  }
}

/** Every host sees every other one, by what Redis says now. @param {readonly Host[]} hosts */
export async function seeEachOther(hosts) {
  for (const host of hosts) {
    const { body } = await host.request('GET', '/hosts');
    const up = body.hosts.filter(
      (/** @type {{ state: string, stale: boolean }} */ { state, stale }) => state === 'up' && !stale,
    );
    if (up.length < hosts.length) return false;
  }
  return true;
}

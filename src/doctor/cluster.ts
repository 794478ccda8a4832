/** A cluster, as this machine finds it: three checks of one look. */
import type { ClusterProbe } from '../cluster/probe-cluster.ts';
import type { ClusterSettings } from '../config/config.ts';
import { isLoopback } from '../config/protection.ts';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';

/** Passes and leases count by the clock of Redis; times in lists do not. */
const clockMs = 2_000;

const looks = new WeakMap<Subject, Promise<ClusterProbe>>();

async function lookFor(subject: Subject, settings: ClusterSettings): Promise<ClusterProbe> {
  const known = looks.get(subject);
  if (known) return known;
  const begun = import('../cluster/probe-cluster.ts').then(async ({ probeCluster }) =>
    probeCluster({ ...settings, dataDir: subject.config.dataDir }),
  );
  looks.set(subject, begun);
  return begun;
}

const alone = skipped('LAB_API_REDIS_URL is not set: this service works alone');
const unseen = skipped('Redis does not answer');

function unanswered(error: unknown): Finding {
  if (systemCode(error) === 'ERR_MODULE_NOT_FOUND')
    return failed('the packages bullmq and ioredis are not installed', 'npm install bullmq ioredis');
  const cause = messageOf(error);
  const isPassword = /WRONGPASS|NOAUTH|NOPERM/.test(cause);
  const remedy = isPassword
    ? 'correct the password in LAB_API_REDIS_URL'
    : 'start Redis, correct LAB_API_REDIS_URL, or check the firewall';
  return failed(`Redis does not answer: ${cause}`, remedy);
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 6 || (major === 6 && minor < 2);
}

/** Whether Redis is there and fit for it. */
export async function checkRedis(subject: Subject): Promise<Finding> {
  const { cluster } = subject.config;
  if (!cluster) return alone;
  let seen: ClusterProbe;
  try {
    seen = await lookFor(subject, cluster);
  } catch (error) {
    return unanswered(error);
  }
  const { version, memoryPolicy, clockAheadMs } = seen;
  const { protocol, password, hostname } = new URL(cluster.redisUrl);
  if (isOld(version)) return failed(`Redis ${version} is too old`, 'install Redis 6.2 or newer, or Valkey');
  if (password === '')
    return warning(
      `Redis ${version} does not ask for a password`,
      'set requirepass, and add the password to LAB_API_REDIS_URL',
    );
  if (memoryPolicy !== undefined && memoryPolicy !== 'noeviction')
    return warning(`maxmemory-policy of Redis is ${memoryPolicy}: it may drop jobs`, 'set it to noeviction');
  if (Math.abs(clockAheadMs) > clockMs) {
    const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
    const how = clockAheadMs > 0 ? 'ahead of' : 'behind';
    return warning(
      `the clock of this machine is ${seconds} s ${how} the clock of Redis`,
      'set both clocks: lists of several hosts are sorted by time',
    );
  }
  const isOpen = protocol === 'redis:' && !isLoopback(hostname);
  const tls =
    protocol === 'rediss:'
      ? ', over TLS'
      : isOpen
        ? ', without TLS: others on the network can read everything'
        : '';
  return ok(`Redis ${version}, with a password${tls}; its clock agrees with the clock of this machine`);
}

/** Whether there are other hosts, and this one is one of them. */
export async function checkHosts(subject: Subject): Promise<Finding> {
  const { cluster } = subject.config;
  if (!cluster) return alone;
  const seen = await lookFor(subject, cluster).catch(() => undefined);
  if (!seen) return unseen;
  const { own, others, unreadable, isNameTaken } = seen;
  if (isNameTaken)
    return failed(
      `another host is called "${cluster.hostName}"`,
      `set another LAB_API_HOST_NAME, or forget the other host: lab host forget ${cluster.hostName}`,
    );
  if (unreadable > 0) {
    const detail = `${unreadable} of ${unreadable + others.length + (own ? 1 : 0)} hosts have another secret than this one`;
    return failed(detail, 'set the same LAB_API_CLUSTER_SECRET on all hosts');
  }
  if (others.length === 0) return ok('no other host yet');
  return ok(others.map(({ name, isUp }) => `${name} ${isUp ? 'up' : 'away'}`).join(', '));
}

/** Whether the others reach this host where it says it is. */
export async function checkOwnUrl(subject: Subject): Promise<Finding> {
  const { cluster } = subject.config;
  if (!cluster) return alone;
  const seen = await lookFor(subject, cluster).catch(() => undefined);
  if (!seen) return unseen;
  const { own, others, ownProblem } = seen;
  if (!own?.isUp) return skipped('the service does not run');
  const remedy = 'set LAB_API_HOST_URL to an address at which other hosts reach this one, and open its port';
  const said = others.flatMap(({ name, isUp, cannotReach }) =>
    isUp ? cannotReach.flatMap(({ id, why }) => (id === own.id ? [`${name}: ${why}`] : [])) : [],
  );
  if (said.length > 0) return failed(`others do not reach ${own.url}: ${said.join('; ')}`, remedy);
  const elsewhere = others.some(({ url }) => !isLoopback(new URL(url).hostname));
  if (elsewhere && isLoopback(new URL(own.url).hostname))
    return failed(`${own.url} is a loopback address, which other hosts cannot use`, remedy);
  // A machine need not reach itself at an address that some router has for it.
  if (ownProblem !== null) return warning(`this host does not answer at ${own.url}: ${ownProblem}`, remedy);
  return ok(`it answers at ${own.url}`);
}

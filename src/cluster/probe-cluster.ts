/** Looks at the cluster for `lab doctor`, from a machine whose service may not run. Joins nothing and changes nothing. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import * as z from 'zod';
import { inTime } from '../lib/async/in-time.ts';
import { HostConnections } from './host-connections.ts';
import { keys } from './keys.ts';
import { hostRecordSchema, type HostRecord } from './model/host.ts';
import { Passes } from './passes.ts';
import { whyNotReached } from './reach-host.ts';
import { RedisClock } from './redis-clock.ts';
import { Signatures } from './signature.ts';

const patienceMs = 5_000;

interface SeenRecord extends HostRecord {
  readonly isUp: boolean;
}

export interface ClusterProbe {
  /** Of Redis, or of Valkey. */
  readonly version: string;
  /** Its policy when its memory is full; undefined when it does not say. */
  readonly memoryPolicy: string | undefined;
  /** How much later it is here than on Redis's machine. */
  readonly clockAheadMs: number;
  readonly own: SeenRecord | undefined;
  readonly others: readonly SeenRecord[];
  /** Hosts whose records were signed with another secret. */
  readonly unreadable: number;
  /** Whether another host has the name of this one. */
  readonly isNameTaken: boolean;
  /** Why this host does not answer at its own address; null when it does, or does not run. */
  readonly ownProblem: string | null;
}

interface Wanted {
  readonly redisUrl: string;
  readonly secret: string;
  readonly hostName: string;
  readonly dataDir: string;
}

function ownIdIn(dataDir: string): string | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(path.join(dataDir, 'host.json'), 'utf8'));
    return z.object({ id: z.uuid() }).safeParse(kept).data?.id;
  } catch {
    // It was never started.
    return undefined;
  }
}

async function memoryPolicyOf(redis: Redis): Promise<string | undefined> {
  // A user of Redis may not be allowed to ask.
  const reply = await redis.config('GET', 'maxmemory-policy').catch(() => []);
  const [, policy] = reply as readonly string[];
  return policy;
}

async function recordsIn(redis: Redis, signatures: Signatures) {
  const signed = Object.entries(await redis.hgetall(keys.hosts));
  const records: SeenRecord[] = [];
  for (const [id, text] of signed) {
    const record = hostRecordSchema.safeParse(signatures.verify('host', text)).data;
    if (record?.id !== id) continue;
    records.push({ ...record, isUp: (await redis.exists(keys.lease(id))) === 1 });
  }
  return { records, unreadable: signed.length - records.length };
}

async function ownProblemOf(
  own: SeenRecord,
  clock: RedisClock,
  signatures: Signatures,
): Promise<string | null> {
  const connections = new HostConnections();
  const passes = new Passes({ ownId: () => own.id, clock, signatures });
  const why = await whyNotReached(own, { name: own.name, connections, passes });
  await connections.close();
  return why ?? null;
}

/** Whether a host had another secret and does not run: a start takes its name. */
async function isGone(redis: Redis, id: string, records: readonly SeenRecord[]): Promise<boolean> {
  if (records.some((record) => record.id === id)) return false;
  return (await redis.hexists(keys.hosts, id)) === 1 && (await redis.exists(keys.lease(id))) === 0;
}

async function look(redis: Redis, { secret, hostName, dataDir }: Wanted): Promise<ClusterProbe> {
  await redis.connect();
  const clock = new RedisClock();
  const askedAt = performance.now();
  clock.set(await redis.time(), askedAt);
  const info = await redis.info('server');
  const signatures = new Signatures(secret);
  const { records, unreadable } = await recordsIn(redis, signatures);
  const id = ownIdIn(dataDir);
  const own = records.find((record) => record.id === id);
  const holder = await redis.hget(keys.names, hostName);
  return {
    version: /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1] ?? 'unknown',
    memoryPolicy: await memoryPolicyOf(redis),
    clockAheadMs: Date.now() - (clock.nowMs ?? Date.now()),
    own,
    others: records.filter((record) => record !== own),
    unreadable,
    isNameTaken: holder !== null && holder !== id && !(await isGone(redis, holder, records)),
    ownProblem: own?.isUp ? await ownProblemOf(own, clock, signatures) : null,
  };
}

/** @throws Error when Redis does not answer, or not as it should. */
export async function probeCluster(wanted: Wanted): Promise<ClusterProbe> {
  const redis = new Redis(wanted.redisUrl, {
    lazyConnect: true,
    connectTimeout: patienceMs,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // The error of the connection says more than "closed".
  let cause: Error | undefined;
  redis.on('error', (error) => (cause = error));
  try {
    return await inTime(look(redis, wanted), 3 * patienceMs, 'no answer in time');
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

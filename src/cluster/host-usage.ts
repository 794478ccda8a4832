/**
 * How much the users have on each host. A host that takes a job writes its own usage with the job in it, unless another host has
 * written since it read the usage. Two jobs at once, on two hosts, cannot both get the last place of a quota.
 */
import * as z from 'zod';
import { AppError } from '../lib/app-error.ts';
import type { Usage, UsageByOwner, UsageElsewhere } from '../quotas/usage.ts';
import { plus, noUsage } from '../quotas/usage.ts';
import { keys } from './keys.ts';
import type { OwnHost } from './own-host.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';
import type { Registry } from './registry.ts';
import type { Signatures } from './signature.ts';

const writeScript = `
if (redis.call('GET', KEYS[2]) or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
redis.call('INCR', KEYS[2])
return 1`;

const amount = z.number().min(0);

/** Its readers may run another version: only ever add fields. */
const recordSchema = z.object({
  host: z.uuid(),
  owners: z.array(
    z.object({
      owner: z.string().nullable(),
      labs: amount,
      nodes: amount,
      jobs: amount,
      workspaceBytes: amount,
    }),
  ),
});

interface HostUsageDeps {
  readonly ownId: () => string;
  readonly own: Pick<OwnHost, 'usage'>;
  readonly link: RedisLink;
  readonly signatures: Signatures;
  readonly registry: Pick<Registry, 'isSettled'>;
}

export class HostUsage implements UsageElsewhere {
  readonly #deps: HostUsageDeps;
  #last: UsageByOwner = new Map();

  constructor(deps: HostUsageDeps) {
    this.#deps = deps;
  }

  get last(): UsageByOwner {
    return this.#last;
  }

  async read(): Promise<{ readonly usage: UsageByOwner; readonly version: string }> {
    const { link, registry } = this.#deps;
    const [version, signed] = await link.ask(async (redis) =>
      resultsOf(await redis.multi().get(keys.usageVersion).hgetall(keys.usage).exec()),
    );
    if (!registry.isSettled)
      throw new AppError(
        'cluster-unavailable',
        'how much you have on the other hosts is not known yet: try again',
        {
          retryAfterSeconds: 5,
        },
      );
    this.#last = this.#sumOf(signed as Readonly<Record<string, string>>);
    return { usage: this.#last, version: (version as string | null) ?? '0' };
  }

  async write(own: UsageByOwner, version: string): Promise<boolean> {
    const { link, ownId } = this.#deps;
    const isWritten = await link.ask(async (redis) =>
      redis.eval(writeScript, 2, keys.usage, keys.usageVersion, version, ownId(), this.#signed(own)),
    );
    return isWritten === 1;
  }

  /** Writes the usage on this host, and reads the usage on the others. Never rejects: the next round repeats it. */
  async tell(): Promise<void> {
    const { link, own, ownId } = this.#deps;
    try {
      const [, , signed] = await link.ask(async (redis) => {
        const commands = redis.multi().hset(keys.usage, ownId(), this.#signed(own.usage()));
        return resultsOf(await commands.incr(keys.usageVersion).hgetall(keys.usage).exec());
      });
      this.#last = this.#sumOf(signed as Readonly<Record<string, string>>);
    } catch {
      // The owner of the connection has reported that Redis does not answer.
    }
  }

  #signed(usage: UsageByOwner): string {
    const owners = [...usage].map(([owner, amounts]) => ({ owner, ...amounts }));
    return this.#deps.signatures.sign('usage', { host: this.#deps.ownId(), owners });
  }

  /** Of all hosts but this one. A host that is away may still run its labs. */
  #sumOf(signed: Readonly<Record<string, string>>): UsageByOwner {
    const sum = new Map<string | null, Usage>();
    for (const [host, text] of Object.entries(signed)) {
      const record = recordSchema.safeParse(this.#deps.signatures.verify('usage', text)).data;
      if (host === this.#deps.ownId() || record?.host !== host) continue;
      for (const { owner, ...amounts } of record.owners)
        sum.set(owner, plus(sum.get(owner) ?? noUsage, amounts));
    }
    return sum;
  }
}

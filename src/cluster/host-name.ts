/** The name of this host, which no other host of the cluster may have. */
import { keys } from './keys.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';

/** Takes a name from a host that is gone, with its record. */
const takeScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] or redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HDEL', KEYS[2], ARGV[2])
return 1`;

interface HostNameDeps {
  readonly link: RedisLink;
  readonly id: () => string;
  readonly name: () => string;
  /** The name that a host had in its latest report. */
  readonly nameIn: (signed: string | null) => string | undefined;
}

export class HostName {
  readonly #deps: HostNameDeps;
  #isClaimed = false;

  constructor(deps: HostNameDeps) {
    this.#deps = deps;
  }

  /** @throws Error with a sentence when another host has the name; AppError `cluster-unavailable`. */
  async claim(): Promise<void> {
    if (this.#isClaimed) return;
    const { link, id: ownId, name: ownName, nameIn } = this.#deps;
    const [id, name] = [ownId(), ownName()];
    const [, holder] = await link.ask(async (redis) =>
      resultsOf(await redis.multi().hsetnx(keys.names, name, id).hget(keys.names, name).exec()),
    );
    if (holder !== id) await this.#takeFrom(String(holder));
    this.#isClaimed = true;
    const before = nameIn(await link.ask(async (redis) => redis.hget(keys.hosts, id)));
    if (before !== undefined && before !== name)
      await link.ask(async (redis) => redis.hdel(keys.names, before));
  }

  /** Takes the name from a host that had another secret and is gone: no host of this cluster could forget it. @throws Error as `claim`. */
  async #takeFrom(holder: string): Promise<void> {
    const { link, id, name: ownName, nameIn } = this.#deps;
    const name = ownName();
    const signed = await link.ask(async (redis) => redis.hget(keys.hosts, holder));
    if (signed === null || nameIn(signed) !== undefined)
      throw new Error(
        `LAB_API_HOST_NAME: another host of the cluster is called "${name}"; give this one a name of its own, or have an administrator forget the other (lab host forget ${name})`,
      );
    const places = [keys.names, keys.hosts, keys.lease(holder)];
    const taken = await link.ask(async (redis) =>
      redis.eval(takeScript, places.length, ...places, name, holder, id()),
    );
    if (taken !== 1)
      throw new Error(
        `LAB_API_HOST_NAME: a host with another LAB_API_CLUSTER_SECRET is called "${name}"; stop it first`,
      );
  }
}

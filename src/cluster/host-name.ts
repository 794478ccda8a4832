/** The name of this host, which no other host of the cluster may have. */
import { keys } from './keys.ts';
import { resultsOf, type RedisLink } from './redis-link.ts';

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
    if (holder !== id)
      throw new Error(
        `LAB_API_HOST_NAME: another host of the cluster is called "${name}"; give this one a name of its own, or have an administrator forget the other (lab host forget ${name})`,
      );
    this.#isClaimed = true;
    const before = nameIn(await link.ask(async (redis) => redis.hget(keys.hosts, id)));
    if (before !== undefined && before !== name)
      await link.ask(async (redis) => redis.hdel(keys.names, before));
  }
}

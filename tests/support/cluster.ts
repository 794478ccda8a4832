/** Several services of one cluster in this process, each with a data directory and a lab CLI of its own. */
import { eventually } from './eventually.ts';
import type { RedisServer } from './redis.ts';
import { makeGround, startService, type Ground, type RunningService } from './service.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export const clusterSecret = 'a secret of at least 32 characters, for tests';

export interface ClusterHost extends RunningService {
  readonly name: string;
}

export function clusterEnvironment(redis: RedisServer, name: string): Record<string, string> {
  return {
    LAB_API_REDIS_URL: redis.url,
    LAB_API_CLUSTER_SECRET: clusterSecret,
    LAB_API_HOST_NAME: name,
  };
}

export async function startHost(
  redis: RedisServer,
  name: string,
  { ground, env = {} }: { readonly ground?: Ground; readonly env?: Variables } = {},
): Promise<ClusterHost> {
  const service = await startService({
    ground: ground ?? makeGround(),
    env: { ...clusterEnvironment(redis, name), ...env },
  });
  return Object.assign(service, { name });
}

/** Resolves when `host` sees all of these hosts as they are said to be. */
export async function seesHosts(
  host: Pick<RunningService, 'get'>,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  await eventually(`the hosts are ${JSON.stringify(wanted)}`, async () => {
    const { hosts } = (await host.get('/hosts')).json;
    const states = Object.fromEntries(
      (hosts as { name: string; state: string }[]).map(({ name, state }) => [name, state]),
    );
    return Object.entries(wanted).every(([name, state]) => states[name] === state) ? true : undefined;
  });
}

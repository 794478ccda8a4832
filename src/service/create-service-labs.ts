import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import { createLabs } from '../labs/create-labs.ts';
import { problemOfClis } from '../labs/drivers/drivers.ts';
import { Images } from '../labs/images.ts';
import { nodePlaces } from '../labs/nodes/node-places.ts';

type Deps = Omit<Parameters<typeof createLabs>[0], 'nodePlaces' | 'limits'> &
  Pick<Config, 'cli' | 'moreClis' | 'runtime' | 'live'>;

/** @throws ConfigError when two lab CLIs have the same name, or one is unknown. */
export function createServiceLabs(deps: Deps): ReturnType<typeof createLabs> & { readonly images: Images } {
  const problem = problemOfClis([deps.cli, ...deps.moreClis]);
  if (problem !== undefined) throw new ConfigError([`LAB_API_CLIS: ${problem}`]);
  const { env, runtime, live } = deps;
  const places = { nodePlaces: nodePlaces(live), limits: live };
  const made = createLabs({ ...deps, ...places, env: { ...env, LAB_API_RUNTIME: runtime } });
  return { ...made, images: new Images({ ...deps, limits: live }) };
}

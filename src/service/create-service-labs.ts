import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import { createLabs } from '../labs/create-labs.ts';
import { problemOfClis } from '../labs/drivers/drivers.ts';
import { Images } from '../labs/images.ts';

type Deps = Parameters<typeof createLabs>[0] &
  Pick<Config, 'cli' | 'moreClis' | 'runtime' | 'maxAllImagesBytes' | 'minFreeDiskBytes'>;

/** @throws ConfigError when two lab CLIs have the same name, or one is unknown. */
export function createServiceLabs(deps: Deps): ReturnType<typeof createLabs> & { readonly images: Images } {
  const problem = problemOfClis([deps.cli, ...deps.moreClis]);
  if (problem !== undefined) throw new ConfigError([`LAB_API_CLIS: ${problem}`]);
  const made = createLabs({ ...deps, env: { ...deps.env, LAB_API_RUNTIME: deps.runtime } });
  return { ...made, images: new Images(deps) };
}

import type { Flags } from '../../src/config/settings.ts';
import { ConfigError, loadConfig } from '../../src/config/load-config.ts';

/** Everything that is wrong with these variables and flags. */
export function configProblemsOf(
  env: Record<string, string | undefined>,
  flags: Flags = {},
): readonly string[] {
  try {
    loadConfig(env, flags);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

import { parse } from 'yaml';

/** netlab's own look at its providers (netsim/cli/show_commands/providers.py). */
export const providersArguments = ['show', 'providers', '--format', 'yaml'] as const;

interface Provider {
  readonly name: string;
  /** `OK` when it can start nodes on this machine. */
  readonly status: string;
}

/** What netlab printed. @throws Error when it is not YAML. */
export function readProviders(output: string): readonly Provider[] {
  const document = (parse(output) ?? {}) as Record<string, { status?: unknown } | null>;
  return Object.entries(document).map(([name, provider]) => ({ name, status: String(provider?.status) }));
}

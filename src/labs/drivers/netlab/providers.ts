import { parse } from 'yaml';
import type { Provider } from '../lab-needs.ts';

/** What netlab printed. @throws Error when it is not YAML. */
export function readProviders(output: string): readonly Provider[] {
  const document = (parse(output) ?? {}) as Record<string, { status?: unknown } | null>;
  return Object.entries(document).map(([name, provider]) => ({ name, status: String(provider?.status) }));
}

import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Subject } from '../../src/doctor/finding.ts';
import { requirement } from './requirements.ts';

/** What the service would be started with, given these variables. */
export function subjectOf(env: Readonly<Record<string, string>>): Subject {
  return { config: loadConfig(env), env };
}

/**
 * A new directory of programs below `root` that is the whole PATH: `scripts` by name, and of this machine's programs the `linked` ones
 * (`sh`, which the scripts need, always).
 */
export function programDirectory(
  root: string,
  scripts: Readonly<Record<string, string>>,
  linked: readonly string[] = [],
): string {
  const directory = mkdtempSync(path.join(root, 'bin-'));
  for (const name of ['sh', ...linked]) symlinkSync(requirement(name).file, path.join(directory, name));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(directory, name), 0o755);
  }
  return directory;
}

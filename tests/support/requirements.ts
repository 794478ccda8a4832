import { test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

interface Requirement {
  /** Why the test cannot run here; undefined when it can. */
  readonly missing: string | undefined;
  /** Absolute path of the program; empty when missing. */
  readonly file: string;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a test that needs `program` can run on this machine. Put `missing` into the name of a skipped test. */
export function requirement(program: string): Requirement {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  const file = directories.map((directory) => path.join(directory, program)).find(isProgram);
  if (file !== undefined) return { missing: undefined, file };
  return { missing: `${program} is not on PATH`, file: '' };
}

/** Why containers cannot be started here; undefined when they can. */
export function missingForContainers(): string | undefined {
  const docker = requirement('docker');
  if (docker.missing !== undefined) return docker.missing;
  try {
    execFileSync(docker.file, ['info'], { stdio: 'ignore', timeout: 20_000 });
    return undefined;
  } catch {
    return 'no Docker engine answers';
  }
}

/** Why a lab of containers cannot be started here; undefined when it can. */
export function missingForContainerLabs(): string | undefined {
  return (
    ['netlab', 'containerlab'].map((name) => requirement(name).missing).find((why) => why !== undefined) ??
    missingForContainers()
  );
}

/** Tests that run unless something is missing, and the words that say so in the names of those that are skipped. */
export function testUnless(missing: string | undefined): {
  readonly it: typeof test | typeof test.skip;
  readonly because: string;
} {
  if (missing === undefined) return { it: test, because: '' };
  return { it: test.skip, because: ` (skipped: ${missing})` };
}

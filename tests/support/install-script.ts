import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { repoRoot } from './repo-files.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const installScript = path.join(repoRoot, 'scripts', 'install-service.sh');
export const unitOf = (root: string): string => path.join(root, 'etc/systemd/system/lab-api.service');
export const settingsOf = (root: string): string => path.join(root, 'etc/lab-api/lab-api.env');

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Directories for `--root`, removed when the test file is done. */
export function makeRoots(): (name: string) => string {
  const directory = temporaryDirectory();
  return (name) => {
    const root = path.join(directory, name);
    mkdirSync(root);
    return root;
  };
}

/** Runs `install-service.sh`, whether that works or not. */
export async function install(...args: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(installScript, args);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

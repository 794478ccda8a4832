import type { RunResult } from '../../src/labs/system/run.ts';

/** The end of a run that printed this. */
export function printed(stdout: string, changes: Partial<RunResult> = {}): RunResult {
  return {
    exitCode: 0,
    signal: null,
    stdout: Buffer.from(stdout),
    stderr: Buffer.alloc(0),
    ended: null,
    spawnError: null,
    ...changes,
  };
}

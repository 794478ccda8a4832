/** The list of the tests of a lab, as a lab CLI reports it. */
import type { RunResult } from '../system/run.ts';

/** A test of a lab. */
export interface ListedTest {
  readonly name: string;
  readonly description: string | null;
  readonly nodes: readonly string[];
  /** The devices that it supports; empty for all. */
  readonly devices: readonly string[];
  /** How long it waits for success, in seconds; null when it does not. */
  readonly waitSeconds: number | null;
}

export interface TestsDriver {
  /**
   * The tests that `validate` would run, in their order. `run` runs the lab CLI to its end in the directory of the lab, and
   * does not throw for a failure of the CLI.
   * @throws AppError `lab-cli-failed`, `lab-cli-timeout`; `not-supported` when the lab CLI has no tests.
   */
  readonly list: (run: (args: readonly string[]) => Promise<RunResult>) => Promise<readonly ListedTest[]>;
}

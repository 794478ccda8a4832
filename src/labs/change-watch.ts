/**
 * Follows a lab CLI that tells of changes while they happen, for as long as the service runs: what is known of the labs is out
 * of date a moment after a container has died, not seconds later. When the lab CLI ends, or is not there, what else tells of
 * changes counts alone (`stateFile`, the age of the status), and it is started again after a while.
 */
import { after } from '../lib/async/disposal.ts';
import type { Environment, LabCli, WatchDriver } from './drivers/lab-driver.ts';
import { labCliEnvironment } from './program/lab-cli.ts';
import type { LabsDeps } from './labs-deps.ts';
import { runForLines } from './system/run.ts';

interface Watched {
  readonly file: string;
  readonly watch: WatchDriver;
  readonly env: Readonly<Record<string, string>>;
}

/** How a lab CLI tells of changes; undefined when it does not, or there is none. */
function watched(cli: LabCli | undefined, env: Environment): Watched | undefined {
  const watch = cli?.driver.watch;
  return watch && { file: cli.file, watch, env: labCliEnvironment(cli, env) };
}

interface ChangeWatchDeps {
  /** The watch program of the lab CLI in use; undefined without one. */
  readonly program: () => Watched | undefined;
  /** The prefix of the command line (`JobUser`). */
  readonly words: readonly string[];
  readonly onChange: () => void;
  /** Aborted when the service shuts down. */
  readonly shutdown: AbortSignal;
  readonly pauses?: typeof usualPauses;
}

/** The dependencies of a watch on the lab CLI in use. */
export function followed(
  { env, runAs, shutdown }: Pick<LabsDeps, 'env' | 'runAs' | 'shutdown'>,
  cli: () => LabCli | undefined,
): Pick<ChangeWatchDeps, 'program' | 'words' | 'shutdown'> {
  return { program: () => watched(cli(), env), words: runAs?.commandPrefix ?? [], shutdown };
}

/** A starting lab reports each node many times: changes within this time after the first are noted as one. */
const usualPauses = { firstMs: 1_000, longestMs: 60_000, gatherMs: 250 };
/** A watch program that ran for this long started well. */
const steadyMs = 60_000;

export class ChangeWatch {
  readonly #deps: ChangeWatchDeps;
  readonly #pauses: typeof usualPauses;
  #pauseMs: number;
  #isGathering = false;

  constructor(deps: ChangeWatchDeps) {
    this.#deps = deps;
    this.#pauses = deps.pauses ?? usualPauses;
    this.#pauseMs = this.#pauses.firstMs;
  }

  /** To be called once. It ends with the service. */
  start(): void {
    void this.#run();
  }

  async #run(): Promise<void> {
    const { words, shutdown: signal } = this.#deps;
    if (signal.aborted) return;
    const program = this.#deps.program();
    // Another lab CLI may be installed one day.
    if (program === undefined) this.#pauseMs = this.#pauses.longestMs;
    else {
      const { file, watch, env } = program;
      const beganMs = performance.now();
      const onLine = (line: string): void => {
        if (watch.isChange(line)) this.#noteChange();
      };
      await runForLines(file, watch.arguments, { env, words, signal, onLine });
      if (performance.now() - beganMs >= steadyMs) this.#pauseMs = this.#pauses.firstMs;
      // Changes since its last report are unknown.
      this.#noteChange();
    }
    after(this.#pauseMs, () => void this.#run());
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#pauses.longestMs);
  }

  #noteChange(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    after(this.#pauses.gatherMs, () => {
      this.#isGathering = false;
      if (!this.#deps.shutdown.aborted) this.#deps.onChange();
    });
  }
}

import { realpath } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { LruCache } from '../../lib/cache/lru-cache.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import type { LabCli } from '../drivers/lab-driver.ts';
import type { ListedTest } from '../drivers/tests-driver.ts';
import type { TestResult } from '../model/job-result.ts';
import { unknownInstance } from '../drivers/status-failure.ts';
import type { RunLimits, RunResult } from '../system/run.ts';
import type { LabStatus } from './lab-status.ts';
import { SharedResult } from './shared-result.ts';

export interface LabTestsDeps {
  readonly status: Pick<LabStatus, 'directoryOf' | 'version'>;
  /** That which is in use now. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  readonly roots: AllowedRoots;
  /** Runs the lab CLI to its end in a directory, with output as wide as it likes; does not throw for a failure of the CLI. */
  readonly runIn: (
    cli: LabCli,
    directory: string,
    args: readonly string[],
    limits?: RunLimits,
  ) => Promise<RunResult>;
}

/** How long tests may take, and how long it may take to end them. */
const testLimits = { timeoutMs: 30_000, graceMs: 2_000 };

/** The tests come from a file that may be edited while the lab runs, without an event. */
const maxAgeMs = 2_000;
const keptMax = 100;

/** A test that only waits or only runs a command has no outcome. */
function failureOf({ name, outcome, reason }: TestResult): string | undefined {
  if (outcome === 'passed' || outcome === null) return undefined;
  const verb = { failed: 'failed', warning: 'gave a warning', skipped: 'was skipped' }[outcome];
  return `the test ${name} ${verb}${reason === null ? '' : `: ${reason}`}`;
}

/** The tests of labs: all clients share one run of the lab CLI for each lab until something changes. */
export class LabTests {
  readonly #deps: LabTestsDeps;
  readonly #kept = new LruCache<SharedResult<readonly ListedTest[]>>(keptMax);

  constructor(deps: LabTestsDeps) {
    this.#deps = deps;
  }

  /**
   * The tests that `validate` would run now, in their order.
   * @throws AppError `instance-not-found`, `forbidden-path`, `not-supported`, `lab-cli-…`.
   */
  async of(id: string): Promise<readonly ListedTest[]> {
    const { status } = this.#deps;
    // Checked before anything is cached: requests for a thousand missing labs must not fill the memory.
    const directory = await this.#directoryOf(id);
    let shared = this.#kept.get(id);
    if (shared === undefined) {
      shared = new SharedResult({
        produce: async () => this.#list(id),
        fingerprint: () => status.version,
        maxAgeMs,
      });
      this.#kept.set(id, shared);
    }
    this.#deps.roots.check(directory, `lab "${id}"`);
    return (await shared.get({ fresh: false })).value;
  }

  /**
   * Runs tests of the lab, each once and without its waiting time, until `signal` is aborted. Resolves with a sentence for each
   * that did not pass.
   * @throws AppError as `of`.
   */
  async failures(id: string, names: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { cli: find, runIn, roots } = this.#deps;
    const [cli, workdir] = [find(), await this.#directoryOf(id)];
    roots.check(workdir, `lab "${id}"`);
    const action = 'validate';
    const command = cli.driver.commandArguments({
      action,
      options: { tests: [...names], skipWait: true },
      topologyFile: undefined,
      labName: undefined,
      instance: id,
      labFile: undefined,
      isListed: true,
    });
    const run = await runIn(cli, workdir, command, { ...testLimits, signal });
    const logTail = stripVTControlCharacters(`${run.stdout.toString('utf8')}${run.stderr.toString('utf8')}`);
    const reader = cli.driver.outputReaders.tests({ command });
    for (const line of logTail.split('\n')) reader.line(line);
    const { result } = reader.end(run);
    const { tests = [], complete = false } = result?.kind === 'tests' ? result : {};
    const failures = tests.flatMap((test) => failureOf(test) ?? []);
    if (failures.length > 0) return failures;
    if (run.ended !== null) return [`the tests were ended before their end (${run.ended})`];
    if (complete && run.exitCode !== null && cli.driver.isSuccess(action, run.exitCode)) return [];
    return [cli.driver.errorSentence({ action, workdir, cliName: cli.name, logTail, result, ...run })];
  }

  async #directoryOf(id: string): Promise<string> {
    const directory = await this.#deps.status.directoryOf(id);
    if (directory === undefined) throw unknownInstance(id);
    const real = await realpath(directory).catch(() => undefined);
    if (real !== undefined) return real;
    throw new AppError('topology-not-found', `the directory of lab "${id}" (${directory}) is not there`);
  }

  async #list(id: string): Promise<readonly ListedTest[]> {
    const { cli: find, runIn } = this.#deps;
    const [cli, directory] = [find(), await this.#directoryOf(id)];
    return cli.driver.tests.list(async (args) => runIn(cli, directory, args));
  }
}

import { AppError } from '../../lib/app-error.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';
import type { LabCli } from '../drivers/lab-driver.ts';
import type { ListedReport, ReportFormat, ReportsDriver } from '../drivers/reports-driver.ts';
import type { RunLimits, RunResult } from '../system/run.ts';
import type { LabTopologies } from './lab-topologies.ts';

export interface LabReportsDeps {
  readonly topologies: LabTopologies;
  /** The lab CLI that is in use now. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  /** Runs the lab CLI to its end in a directory; does not throw for a failure of the CLI. */
  readonly runIn: (
    cli: LabCli,
    directory: string,
    args: readonly string[],
    limits?: RunLimits,
  ) => Promise<RunResult>;
}

export interface Report {
  readonly format: ReportFormat;
  readonly bytes: Buffer;
}

/** Each takes a processor for a second. */
const runsAtOnce = 2;

/** The reports of labs, each made by a run of the lab CLI: users may edit the templates of their own at any time. */
export class LabReports {
  readonly #deps: LabReportsDeps;
  readonly #runs = new Semaphore(runsAtOnce);

  constructor(deps: LabReportsDeps) {
    this.#deps = deps;
  }

  /**
   * The reports that come with the lab CLI. The run ends when `signal` is aborted.
   * @throws AppError as `LabTopologies.of`; `not-supported`; `lab-cli-…`.
   */
  async list(id: string, signal: AbortSignal): Promise<readonly ListedReport[]> {
    return this.#with(id, signal, async (driver, run) => driver.list(run));
  }

  /** @throws AppError as `list`; `report-not-found`. */
  async make(id: string, name: string, signal: AbortSignal): Promise<Report> {
    return this.#with(id, signal, async (driver, run) => {
      const bytes = await driver.make(run, name);
      if (bytes !== undefined) return { format: driver.formatOf(name), bytes };
      throw new AppError(
        'report-not-found',
        `there is no report "${name}"; GET /labs/${id}/reports lists those of the lab CLI`,
      );
    });
  }

  async #with<T>(
    id: string,
    signal: AbortSignal,
    task: (driver: ReportsDriver, run: Parameters<ReportsDriver['list']>[0]) => Promise<T>,
  ): Promise<T> {
    const { topologies, cli: find, runIn } = this.#deps;
    const cli = find();
    const { reports } = cli.driver.topology;
    if (reports === undefined) throw new AppError('not-supported', `${cli.name} makes no reports of labs`);
    // Without a snapshot, netlab would report the topology file as it is now.
    const { directory } = await topologies.of(id);
    return this.#runs.run(async () => task(reports, async (args) => runIn(cli, directory, args, { signal })));
  }
}

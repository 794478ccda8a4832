/** The reports that a lab CLI makes of a lab: tables of addresses, of BGP sessions, of cables. */
import type { RunResult } from '../system/run.ts';

/** How a report is written. */
export const reportFormats = ['text', 'html', 'markdown'] as const;
export type ReportFormat = (typeof reportFormats)[number];

export interface ListedReport {
  readonly name: string;
  readonly description: string | null;
  readonly format: ReportFormat;
}

/** Runs the lab CLI to its end in the directory of the lab, and does not throw for a failure of the CLI. */
type Run = (args: readonly string[]) => Promise<RunResult>;

export interface ReportsDriver {
  /**
   * The reports that come with the lab CLI, in the order of their names.
   * @throws AppError `lab-cli-failed`, `lab-cli-timeout`.
   */
  readonly list: (run: Run) => Promise<readonly ListedReport[]>;
  /** The format of a report with this name, listed or not. */
  readonly formatOf: (name: string) => ReportFormat;
  /**
   * The text of a report, listed or one of the user's own; undefined when there is no report with this name. The name has
   * letters, digits, `.`, `_` and `-`, and begins with a letter or digit.
   * @throws AppError `lab-cli-failed`, `lab-cli-timeout`.
   */
  readonly make: (run: Run, name: string) => Promise<Buffer | undefined>;
}

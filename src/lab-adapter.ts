/** Joins jobs and lab CLI: what jobs ask of a lab CLI, answered by `labs/`. */
import type { Job } from './jobs/model/job.ts';
import type { JobPlan, LabPort } from './jobs/model/lab-port.ts';
import type { JobRequest } from './jobs/model/job-request.ts';
import type { Action } from './labs/actions.ts';
import type { AllowedRoots } from './labs/allowed-roots.ts';
import { labCliEnvironment, mayHaveLeftLab, requireLabCli, type LabCli } from './labs/lab-cli.ts';
import { checkCollect, checkDown, errorSentence } from './labs/drivers/netlab/error-sentence.ts';
import { planJob } from './labs/plan-job.ts';
import type { LabStatus } from './labs/status/lab-status.ts';

interface LabAdapterDeps {
  /** The lab CLI as it is on the machine now. */
  readonly findCli: () => LabCli | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly status: LabStatus;
  readonly roots: AllowedRoots;
  readonly topologyHosts: readonly string[];
  /** Called when the lab CLI has ended: a status that was asked for before may no longer be true. */
  readonly onLabChange: () => void;
}

const cleanupHints: Readonly<Record<Action, string | undefined>> = {
  up: 'the lab may be half started: run "down" with "cleanup" in this directory',
  down: 'the lab may be half stopped: run "down" again',
  create: undefined,
  collect: undefined,
  status: undefined,
};

export class LabAdapter implements LabPort {
  readonly #deps: LabAdapterDeps;

  constructor(deps: LabAdapterDeps) {
    this.#deps = deps;
  }

  async plan(request: JobRequest): Promise<JobPlan> {
    const cli = requireLabCli(this.#deps.findCli());
    const { args, ...plan } = await planJob(request, {
      roots: this.#deps.roots,
      topologyHosts: this.#deps.topologyHosts,
      directoryOf: (instance) => this.#deps.status.directoryOf(instance),
      serverDirectory: process.cwd(),
    });
    const command = (savedTopologyPath: string): string[] => [cli.file, ...args(savedTopologyPath)];
    return { ...plan, command };
  }

  allows(workdir: string): boolean {
    return this.#deps.roots.allows(workdir);
  }

  environment(): Record<string, string> {
    return labCliEnvironment(requireLabCli(this.#deps.findCli()), this.#deps.env);
  }

  errorSentence(job: Job, end: { exitCode: number | null; signal: string | null }, logTail: string): string {
    const cliName = this.#deps.findCli()?.name ?? 'the lab CLI';
    return errorSentence({ action: job.action, cliName, logTail, ...end });
  }

  async verify(job: Job, logEnd: string): Promise<string | undefined> {
    if (job.action === 'collect') return checkCollect(job.workdir, logEnd);
    if (job.action !== 'down') return undefined;
    this.#deps.onLabChange();
    // A status that cannot be told proves nothing; the lock file in the directory is looked at all the same.
    const entries = await this.#deps.status.entries(true).catch(() => undefined);
    const directories =
      entries && [...entries.values()].map((entry) => (typeof entry['dir'] === 'string' ? entry['dir'] : ''));
    return checkDown({
      workdir: job.workdir,
      instanceDirs: directories,
      dryRun: job.request['dryRun'] === true,
    });
  }

  cleanupHint({ action, workdir }: Job): string | undefined {
    const { findCli, env } = this.#deps;
    const cli = findCli();
    return cli && !mayHaveLeftLab(cli, env, workdir) ? undefined : cleanupHints[action];
  }
}

/** Joins scenarios to the labs, the faults and the jobs of this machine. */
import path from 'node:path';
import type { LabFaults } from '../faults/lab-faults.ts';
import type { Job } from '../jobs/model/job.ts';
import type { Environment } from '../labs/drivers/lab-driver.ts';
import type { Labs } from '../labs/labs.ts';
import { specOf } from '../labs/model/actions.ts';
import { AppError } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { ScenarioJobs } from './scenario-jobs.ts';
import { ScenarioServer } from './scenario-server.ts';

interface CreateScenariosDeps {
  readonly dataDir: string;
  readonly env: Environment;
  /** They need not be there before the first job. */
  readonly parts: () => {
    readonly labs: Labs;
    readonly faults: LabFaults;
    readonly store: { unfinished(): readonly Job[]; paths(id: string): { readonly artifacts: string } };
  };
  readonly shutdown: AbortSignal;
  readonly log: Logger;
}

interface Scenarios {
  readonly ownJobs: ScenarioJobs;
  readonly server: ScenarioServer;
}

/** The plan has found it, so it is there. */
function labOf({ instance, cli }: Job): { id: string; cli: string } {
  return { id: instance ?? '', cli: cli ?? '' };
}

/** Nothing is touched on disk before the server is opened. */
export function createScenarios({ dataDir, env, parts, shutdown, log }: CreateScenariosDeps): Scenarios {
  const jobOf = (id: string): Job | undefined =>
    parts()
      .store.unfinished()
      .find((job) => job.id === id && job.state !== 'queued' && specOf(job.action).isOfService === true);
  const change = (job: Job, { mayBeCanceled = false } = {}) => ({
    user: job.requestedBy,
    job,
    check: () => {
      const state = jobOf(job.id)?.state;
      if (state === undefined) throw new AppError('conflict', 'the scenario has ended');
      if (state !== 'running' && !mayBeCanceled) throw new AppError('conflict', 'the scenario was canceled');
    },
  });
  const server: ScenarioServer = new ScenarioServer({
    directory: path.join(dataDir, 'scenarios'),
    jobOf,
    planOf: async (job) => {
      const { scenario, scenarioPath } = job.request;
      await parts().faults.prepare(labOf(job), change(job));
      const plan = await ownJobs.resolve({ lab: labOf(job), workdir: job.workdir, scenario, scenarioPath });
      return { plan, artifacts: parts().store.paths(job.id).artifacts };
    },
    wayTo: async (job, node) =>
      parts()
        .labs.named(labOf(job).cli)
        .nodes(labOf(job).id)
        .one(node)
        .inNetwork(shutdown, async ({ way, env: variables }) => Promise.resolve({ way, env: variables })),
    failuresOf: async (job, tests, gone) => {
      const { id, cli } = labOf(job);
      return parts().labs.named(cli).tests.failures(id, tests, gone);
    },
    set: async (job, fault) => parts().faults.set(labOf(job), fault, change(job)),
    heal: async (job, target) =>
      parts().faults.heal(labOf(job), target, change(job, { mayBeCanceled: true })),
    log,
  });
  const ownJobs = new ScenarioJobs({
    socket: server,
    env,
    topologyOf: async ({ id, cli }) => (await parts().labs.named(cli).topologies.of(id)).topology,
    testsOf: async ({ id, cli }) => (await parts().labs.named(cli).tests.of(id)).map(({ name }) => name),
    faultsOf: (lab) => parts().faults.ofUsers(lab),
  });
  return { ownJobs, server };
}

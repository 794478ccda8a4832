/** Tools about jobs: they start what takes long, wait for it and read what it prints. */
import * as z from 'zod';
import type { Job, JobRequest } from '../client/api-types.ts';
import { hasEnded, type LabApiClient } from '../client/lab-api-client.ts';
import { defineTool, pathName, type Told } from './tool.ts';

/** Clients give a tool a minute; the answer has to come before. */
const longestWaitSeconds = 50;
const mostLogLines = 500;

const job = pathName.describe('The id of a job, such as job-1768469400250-a1b2c3.');

const labCli = z
  .string()
  .optional()
  .describe(
    'The lab CLI, if the server has several: a value from list_templates or list_labs. Default: the one of the lab, else the first.',
  );

function hintFor({ id, action, state }: Job): string {
  if (!hasEnded(state))
    return `The job ${id} is ${state}. It continues in the background: call wait_for_job with this id until it has ended.`;
  if (state === 'success') return `The job ${id} (${action}) has succeeded.`;
  return `The job ${id} (${action}) has ${state === 'failed' ? 'failed' : `ended as ${state}`}: "error" says why, and read_log shows what it printed.`;
}

/** The fields of a job that an assistant needs: a whole job is long. */
function tellJob(given: Job): Told {
  const { id, action, state, cli, instance, workdir, createdAt, finishedAt, exitCode, error, progress } =
    given;
  const { warnings, labels, result } = given;
  const times = { createdAt, finishedAt };
  const outcome = { exitCode, error, progress: progress?.message ?? null, warnings, result };
  return {
    hint: hintFor(given),
    data: { id, action, state, cli, lab: instance, workdir, labels, ...times, ...outcome },
  };
}

/** Without what was not given. Which fields and actions there are, the service knows; it may be newer than this program. */
async function start(
  client: LabApiClient,
  fields: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Told> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const request = Object.fromEntries(given) as unknown as JobRequest;
  return tellJob(await client.startJob(request, { signal, patienceMs: 0 }));
}

const startLab = defineTool({
  name: 'start_lab',
  title: 'Start a lab',
  description:
    'Starts a virtual network lab from a topology and returns the id of a job at once; starting takes seconds to many minutes. Give the topology as text, or the path of a topology file on the server (list_templates returns them as topologyPath). Use multilabId "auto" so that the lab can run beside others; the reply has its id as "lab". Give ttlSeconds unless the user wants the lab to stay: the lab is stopped after that time.',
  input: {
    topology: z.string().optional().describe('The topology, as YAML text.'),
    topologyPath: z.string().optional().describe('A topology file on the server, in place of topology.'),
    workdir: z.string().optional().describe('A directory on the server that exists: the lab lives there.'),
    workspace: z
      .string()
      .optional()
      .describe('The name of a workspace, in place of workdir: it is made when it does not exist.'),
    multilabId: z.union([z.int().min(1).max(200), z.literal('auto')]).optional(),
    ttlSeconds: z
      .number()
      .positive()
      .optional()
      .describe('How long the lab lives once it is up, in seconds.'),
    cli: labCli,
    provider: z.string().optional().describe('The provider of the nodes, such as clab or libvirt.'),
    device: z.string().optional().describe('The device type of nodes that name none, such as frr.'),
    labels: z.record(z.string(), z.string()).optional().describe('Short texts to find the job by.'),
  },
  effect: 'changes',
  run: async (input, { client, signal }) => start(client, { action: 'up', ...input }, signal),
});

const stopLab = defineTool({
  name: 'stop_lab',
  title: 'Stop a lab',
  description:
    'Stops a lab and returns the id of a job at once. Data in its nodes that was not collected is lost. Stop only labs that you have started, or that the user has named.',
  input: {
    lab: z.string().describe('The id of the lab, as list_labs returns it.'),
    cleanup: z
      .boolean()
      .optional()
      .describe('Whether to remove the files that were created for the lab, too.'),
    cli: labCli,
  },
  effect: 'destroys',
  run: async ({ lab, cleanup, cli }, { client, signal }) =>
    start(client, { action: 'down', instance: lab, cleanup, cli }, signal),
});

const validateLab = defineTool({
  name: 'validate_lab',
  title: 'Run the tests of a lab',
  description:
    'Runs the tests that the topology of a lab defines and returns the id of a job at once. When the job has ended, read_log has the outcome of each test.',
  input: {
    lab: z.string().describe('The id of the lab, as list_labs returns it.'),
    tests: z.array(z.string()).optional().describe('Names of tests; default: all.'),
    cli: labCli,
  },
  effect: 'changes',
  run: async ({ lab, tests, cli }, { client, signal }) =>
    start(client, { action: 'validate', instance: lab, tests, cli }, signal),
});

const runScenario = defineTool({
  name: 'run_scenario',
  title: 'Run a scenario',
  description:
    'Breaks links and nodes of a lab one after the other, measures the traffic meanwhile, and returns the id of a job at once. Use it for questions such as "does the traffic survive any one link?". When the job has ended, wait_for_job returns "result" with the verdict on each fault and its reason, and read_log has the outage of each flow. The job fails if one fault has failed. All faults are healed at its end, also after cancel_job. Run it only in labs that you have started, or that the user has named.',
  input: {
    lab: z.string().describe('The id of the lab, as list_labs returns it.'),
    scenario: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'The scenario, such as {"flows": [{"from": "h1", "to": "h2"}], "each": {"of": "link"}, "expect": {"outage": "2s"}, "hold": "10s"}. "flows": from a node to a node or an address. "each": break every "link" between routers, every router ("node") or every "pair" of links; with "except": names, and "kind" as in set_fault. "faults", beside it or instead: a list of {"link": "r1-r2"} or {"node": "r1"} with "kind", "with": a list of more to break at the same time, and "outage". "expect": the longest outage allowed; without it, traffic must only be back before the fault is healed. "hold": how long a fault stays, default 30s. "steady": {"for": "3s", "within": "60s", "loss": 0}, which must hold before the first fault and after each. "steady" and "expect" take "tests", too: names of tests of the lab that must pass. "paths": true reports which nodes the flows pass; "shard": "1/4" runs a part of the faults; "capture" keeps packets. The schema Scenario in /openapi.json has all fields.',
      ),
    scenarioPath: z
      .string()
      .optional()
      .describe('A file with a scenario in the directory of the lab, in place of scenario.'),
    cli: labCli,
  },
  effect: 'destroys',
  run: async ({ lab, ...input }, { client, signal }) =>
    start(client, { action: 'scenario', instance: lab, ...input }, signal),
});

const waitForJob = defineTool({
  name: 'wait_for_job',
  title: 'Wait for a job',
  description:
    'Waits until a job ends, or for the given number of seconds, and returns its state. Call it again while the job is queued or running.',
  input: {
    job,
    seconds: z
      .number()
      .min(0)
      .max(longestWaitSeconds)
      .default(30)
      .describe(`Maximum time to wait, 0 to ${longestWaitSeconds}; 0 returns at once.`),
  },
  effect: 'looks',
  run: async ({ job: id, seconds: wait }, { client, signal }) => {
    const reply = await client.request('GET', `/jobs/${encodeURIComponent(id)}`, { query: { wait }, signal });
    return tellJob(reply as unknown as Job);
  },
});

const readLog = defineTool({
  name: 'read_log',
  title: 'Read the end of a log',
  description: 'Returns the last lines of the log of a job.',
  input: {
    job,
    lines: z.int().min(1).max(mostLogLines).default(60).describe(`How many lines, 1 to ${mostLogLines}.`),
  },
  effect: 'looks',
  run: async ({ job: id, lines }, { client, signal }) => ({
    data: await client.readLogText(id, { tail: lines, plain: true, signal }),
  }),
});

const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancels a queued or running job. A canceled "up" may leave a part of its lab: stop_lab removes it.',
  input: { job },
  effect: 'destroys',
  run: async ({ job: id }, { client }) => tellJob(await client.cancelJob(id)),
});

export const jobTools = [startLab, stopLab, validateLab, runScenario, waitForJob, readLog, cancelJob];

/** Tools about jobs: they wait for what takes long, and read what it prints and makes. */
import * as z from 'zod';
import { fileAnswer } from './file-answer.ts';
import { tellJob, tellJobs } from './tell-job.ts';
import { defineTool, filePath, pathName, seconds } from './tool.ts';

const mostLogLines = 10_000;

const job = pathName.describe('The id of a job, such as job-1768469400250-a1b2c3.');

export const jobTools = [
  defineTool({
    name: 'list_jobs',
    title: 'List jobs',
    description: 'Lists jobs that match all given filters, newest first.',
    input: {
      state: z.enum(['queued', 'running', 'canceling', 'success', 'failed', 'canceled']).optional(),
      action: z.string().optional().describe('Such as up, down, validate or scenario.'),
      lab: z.string().optional().describe('Jobs of this lab.'),
      workspace: z.string().optional(),
      requestedBy: z.string().optional().describe('Jobs of this user.'),
      since: z.string().optional().describe('A time, a date, or how long ago, such as 24h.'),
      limit: z.int().min(1).max(100).default(20).describe('How many, 1 to 100.'),
      cursor: z.string().optional().describe('From the answer before: the jobs after those.'),
    },
    effect: 'looks',
    operations: ['GET /jobs'],
    names: { lab: 'instance' },
    tell: tellJobs,
  }),
  defineTool({
    name: 'wait_for_job',
    title: 'Wait for a job',
    description:
      'Waits until a job ends, or for the given number of seconds, and returns its state. Call it again while the job is queued or running.',
    input: { job, seconds },
    effect: 'looks',
    operations: ['GET /jobs/{job}'],
    names: { seconds: 'wait' },
    tell: tellJob,
  }),
  defineTool({
    name: 'read_log',
    title: 'Read the end of a log',
    description: 'Returns the last lines of the log of a job.',
    input: {
      job,
      lines: z.int().min(1).max(mostLogLines).default(60).describe(`How many lines, 1 to ${mostLogLines}.`),
    },
    effect: 'looks',
    operations: ['GET /jobs/{job}/log'],
    names: { lines: 'tail' },
    fixed: { plain: true, output: 'text' },
  }),
  defineTool({
    name: 'list_artifacts',
    title: 'List what a job has made',
    description:
      'Lists the files that a job made: collected configurations, results of tests, files of create_lab.',
    input: { job },
    effect: 'looks',
    operations: ['GET /jobs/{job}/artifacts'],
  }),
  defineTool({
    name: 'read_artifact',
    title: 'Read a file that a job has made',
    description: 'Returns a text file that a job made.',
    input: { job, path: filePath.describe('Its path, from list_artifacts.') },
    effect: 'looks',
    operations: ['GET /jobs/{job}/artifacts/{path}'],
    tell: fileAnswer,
  }),
  defineTool({
    name: 'read_job_topology',
    title: 'Read the topology of a job',
    description: 'Returns the topology that was sent or fetched for a job, as YAML.',
    input: { job },
    effect: 'looks',
    operations: ['GET /jobs/{job}/topology'],
  }),
  defineTool({
    name: 'cancel_job',
    title: 'Cancel a job',
    description:
      'Cancels a queued or running job. A canceled "up" may leave a part of its lab: stop_lab removes it.',
    input: { job, force: z.boolean().optional().describe('Kills its processes at once.') },
    effect: 'destroys',
    operations: ['POST /jobs/{job}/cancel'],
    tell: tellJob,
  }),
  defineTool({
    name: 'retry_job',
    title: 'Repeat a job',
    description: 'Submits the request of a job that has ended once more, as a new job.',
    input: { job },
    effect: 'destroys',
    operations: ['POST /jobs/{job}/retry'],
    tell: tellJob,
  }),
  defineTool({
    name: 'remove_job',
    title: 'Remove a job',
    description: 'Removes a job that has ended, with its log and what it made.',
    input: { job },
    effect: 'destroys',
    operations: ['DELETE /jobs/{job}'],
  }),
];

/** Takes a lab through up, log, status, collect and down, with types that are generated from /openapi.json. */
import createClient from 'openapi-fetch';
import type { components, paths } from './lab-api.js';

type JobRequest = components['schemas']['JobRequest'];

const [baseUrl = 'http://127.0.0.1:8090', workdir = '.'] = process.argv.slice(2);
const { LAB_API_USER: user, LAB_API_PASSWORD: password } = process.env;
const headers = user ? { Authorization: `Basic ${btoa(`${user}:${password}`)}` } : {};
const client = createClient<paths>({ baseUrl, headers });

/** Runs a job to its end and prints its log; says why when it does not succeed. */
async function run(request: JobRequest): Promise<void> {
  let { data: job, error } = await client.POST('/jobs', { body: request });
  if (!job) throw new Error(`${request.action} was refused: ${error?.detail}`);
  const path = { id: job.id };
  while (job && ['queued', 'running', 'canceling'].includes(job.state))
    ({ data: job } = await client.GET('/jobs/{id}', { params: { path, query: { wait: 60 } } }));
  const query = { output: 'text', plain: true } as const;
  const log = await client.GET('/jobs/{id}/log', { params: { path, query }, parseAs: 'text' });
  console.log(log.data);
  if (job?.state !== 'success') throw new Error(job?.error ?? 'the job is gone');
  console.log(`${request.action}: ${job.state}`);
}

try {
  await run({ action: 'up', workdir });
  console.log('labs:', ...Object.keys((await client.GET('/status')).data ?? {}));
  await run({ action: 'collect', workdir });
} finally {
  await run({ action: 'down', workdir, cleanup: true });
}

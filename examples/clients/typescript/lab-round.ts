/** Takes a lab through up, log, status, collect and down, with types generated from /openapi.json. */
import createClient from 'openapi-fetch';
import type { components, paths } from './lab-api.js';

type Job = components['schemas']['Job'];
type JobRequest = components['schemas']['JobRequest'];

const [baseUrl = '', workdir = ''] = process.argv.slice(2);
const { LAB_API_USER: user, LAB_API_PASSWORD: password } = process.env;
const headers = user ? { Authorization: `Basic ${btoa(`${user}:${password}`)}` } : {};
const client = createClient<paths>({ baseUrl, headers });

/** Submits a job; says why when it is refused. */
async function submit(request: JobRequest): Promise<Job> {
  const { data, error, response } = await client.POST('/jobs', { body: request });
  if (data) return data;
  throw new Error(`${request.action} was refused: ${error?.detail ?? response.status}`);
}

/** Waits for the job's end and prints its log; says why when it does not succeed. */
async function finish({ id, action }: Job): Promise<void> {
  const path = { id };
  let job: Job | undefined;
  do ({ data: job } = await client.GET('/jobs/{id}', { params: { path, query: { wait: 60 } } }));
  while (job && ['queued', 'running', 'canceling'].includes(job.state));
  const query = { output: 'text', plain: true } as const;
  console.log((await client.GET('/jobs/{id}/log', { params: { path, query }, parseAs: 'text' })).data);
  if (job?.state !== 'success') throw new Error(`${action}: ${job?.error ?? 'the job is gone'}`);
  console.log(`${action}: ${job.state}`);
}

async function labRound(): Promise<void> {
  const up = await submit({ action: 'up', workdir });
  try {
    await finish(up);
    console.log('labs:', ...Object.keys((await client.GET('/status')).data ?? {}));
    await finish(await submit({ action: 'collect', workdir }));
  } finally {
    await finish(await submit({ action: 'down', workdir, cleanup: true }));
  }
}

function say({ message, cause }: Error): void {
  console.error(cause instanceof Error ? `no lab-api answers at ${baseUrl}: ${cause.message}` : message);
  process.exitCode = 1;
}

if (workdir) await labRound().catch(say);
else say(new Error('usage: npm start URL DIRECTORY-OF-A-LAB'));

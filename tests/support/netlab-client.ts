import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';

/** The names that `netlab api` knows (netsim/cli/api.py, start_job), and `canceling`, which clients take for running. */
const knownStates = ['queued', 'running', 'canceling', 'success', 'failed', 'canceled'];
const finalStates = ['success', 'failed', 'canceled'];
const pollMs = 100;
const deadlineMs = 240_000;

/** The job record of `netlab api`; a client of it reads these fields and no other. */
export interface NetlabApiJob {
  readonly id: string;
  readonly action: string;
  readonly state: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly error: string | null;
  readonly workdir: string | null;
  readonly logPath: string;
}

/**
 * A program written for `netlab api`: it knows paths and field names of that and nothing of ours. It posts a job, polls
 * the record and then the log, shows the part that is new, and stops at a final state.
 */
export class NetlabApiClient {
  readonly #http: Client;
  /** Every state that it saw. */
  readonly states = new Set<string>();

  constructor(http: Client) {
    this.#http = http;
  }

  async #read(path: string): Promise<Record<string, unknown>> {
    const reply = await this.#http.get(path);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${String(reply.json.error)}`);
    return reply.json as Record<string, unknown>;
  }

  async run(payload: Readonly<Record<string, unknown>>): Promise<{ job: NetlabApiJob; log: string }> {
    const reply = await this.#http.post('/jobs', payload);
    if (reply.status !== 202) throw new Error(`POST /jobs: ${reply.status} ${String(reply.json.error)}`);
    const { id } = reply.json as NetlabApiJob;
    let shown = '';
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const job = (await this.#read(`/jobs/${id}`)) as unknown as NetlabApiJob;
      const log = String((await this.#read(`/jobs/${id}/log`))['log']);
      if (!log.startsWith(shown)) throw new Error(`the log changed: ${shown} is no beginning of ${log}`);
      shown += log.slice(shown.length);
      this.states.add(job.state);
      if (!knownStates.includes(job.state)) throw new Error(`unknown state ${job.state}`);
      if (finalStates.includes(job.state)) return { job, log: shown };
      if (performance.now() > deadline) throw new Error(`the job does not end:\n${shown}`);
      await delay(pollMs);
    }
  }
}

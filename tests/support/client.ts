import { assertDeclared } from './declared-replies.ts';
import { eventually, InVain } from './eventually.ts';
import { open, request, type Reply, type RequestOptions } from './http-client.ts';

/** Requests to a running service. */
export class Client {
  readonly url: string;
  readonly #common: RequestOptions;
  readonly #isGone: () => boolean;
  readonly #check: typeof assertDeclared;

  /** Once the service `isGone`, nobody waits for anything of it any more. Each reply is held against its declaration. */
  constructor(url: string, common: RequestOptions = {}, isGone = () => false, check = assertDeclared) {
    this.url = url;
    this.#common = common;
    this.#isGone = isGone;
    this.#check = check;
  }

  #merge(options: RequestOptions): RequestOptions {
    return { ...this.#common, ...options, headers: { ...this.#common.headers, ...options.headers } };
  }

  async request(target: string, options: RequestOptions = {}): Promise<Reply> {
    if (this.#isGone()) throw new InVain(`the service at ${this.url} has ended`);
    const reply = await request(this.url, target, this.#merge(options));
    this.#check(options.method ?? 'GET', target, reply);
    return reply;
  }

  async get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.request(target, { headers });
  }

  async post(target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.request(target, { method: 'POST', body, headers });
  }

  async open(target: string, options: RequestOptions = {}) {
    return open(this.url, target, this.#merge(options));
  }

  /** Starts a job that must be accepted; gives its id. */
  async start(
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const reply = await this.post('/jobs', body, headers);
    if (reply.status !== 202) throw new Error(`the job was not accepted: ${reply.status} ${reply.text}`);
    return String(reply.json.id);
  }

  async job(id: string) {
    return (await this.get(`/jobs/${id}`)).json;
  }

  /** The job when it is in one of these states. */
  async reach(id: string, ...states: readonly string[]) {
    return eventually(`${id} is ${states.join(' or ')}`, async () => {
      const job = await this.job(id);
      return states.includes(String(job.state)) ? job : undefined;
    });
  }

  async ended(id: string) {
    return this.reach(id, 'success', 'failed', 'canceled');
  }

  /** The reply to a cancel of the job once it has ended, which may take longer than one reply waits. */
  async cancel(id: string, options: Pick<RequestOptions, 'headers' | 'body'> = {}): Promise<Reply> {
    return eventually(`the cancel of ${id}`, async () => {
      const reply = await this.request(`/jobs/${id}/cancel`, { ...options, method: 'POST' });
      return reply.status === 202 ? undefined : reply;
    });
  }

  async logText(id: string): Promise<string> {
    return (await this.get(`/jobs/${id}/log?output=text`)).text;
  }
}

/** What the jobs of a crash test do, and what the client of the crashed service was promised. */
import path from 'node:path';
import type { Client } from './client.ts';
import { topologyThat, type Ground } from './service.ts';

/** A job that writes its id to `starts`, prints its lines, and ends with its exit code, after the gate if it has one. */
export interface Task {
  readonly name: string;
  readonly lines: readonly string[];
  readonly exitCode: number;
  /** What the job waits for after its first line; the audit opens all gates. */
  readonly gate?: string;
  readonly timeoutSeconds?: number;
  /** Below the ground's labs. */
  readonly workdir?: string;
  /** Its Idempotency-Key; whoever gets no reply asks again with it. */
  readonly key?: string;
  /** An `up` of which a `down` has to follow when it is canceled. */
  readonly onCancel?: 'down';
}

/** The request for a task. The same one each time, or its key would stand for another. */
async function send(client: Client, ground: Ground, task: Task): Promise<string> {
  const { gate, lines, exitCode, timeoutSeconds, key, onCancel } = task;
  const [first, ...others] = lines.map((line) => `echo ${line}`);
  const body = {
    action: onCancel === undefined ? 'create' : 'up',
    workdir: path.join(path.dirname(ground.workdir), task.workdir ?? 'demo'),
    labels: { task: task.name },
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(onCancel === undefined ? {} : { onCancel }),
    topology: topologyThat(
      'echo "$LAB_JOB_ID" >>"$state/starts"',
      // What a "down" takes away.
      ...(onCancel === undefined ? [] : [': >netlab.lock']),
      first ?? ':',
      ...(gate === undefined ? [] : [`wait_for ${gate}`]),
      ...others,
      `exit ${exitCode}`,
    ),
  };
  return client.start(body, key === undefined ? {} : { 'Idempotency-Key': key });
}

/** What the client of the crashed service knows. */
export class Promises {
  /** Id → task of every job that was accepted. */
  readonly accepted = new Map<string, Task>();
  /** Jobs whose cancel was answered. */
  readonly canceled = new Set<string>();
  /** Jobs that may be missing: retention, or a client, was about to remove them. */
  readonly removable = new Set<string>();
  /** Jobs that must be missing: their removal was answered. */
  readonly removed = new Set<string>();
  readonly #requests: Promise<unknown>[] = [];
  #isOver = false;

  /** The same knowledge, for another course of things from here on. */
  copy(): Promises {
    const copy = new Promises();
    for (const [id, task] of this.accepted) copy.accepted.set(id, task);
    for (const name of ['canceled', 'removable', 'removed'] as const)
      for (const id of this[name]) copy[name].add(id);
    return copy;
  }

  /** From now on nothing is asked for any more, and what was answered is known. */
  async settle(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#requests);
  }

  async #track<T>(action: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('the service has crashed');
    const answer = action();
    this.#requests.push(answer);
    return answer;
  }

  async submit(client: Client, ground: Ground, task: Task): Promise<string> {
    return this.#track(async () => {
      const id = await send(client, ground, task);
      this.accepted.set(id, task);
      return id;
    });
  }

  async cancel(client: Client, id: string): Promise<void> {
    await this.#track(async () => {
      const { status, text } = await client.post(`/jobs/${id}/cancel`);
      if (status !== 200 && status !== 202) throw new Error(`the cancel was refused: ${status} ${text}`);
      this.canceled.add(id);
    });
  }

  async remove(client: Client, id: string): Promise<void> {
    this.removable.add(id);
    await this.#track(async () => {
      const { status, text } = await client.request(`/jobs/${id}`, { method: 'DELETE' });
      if (status !== 204) throw new Error(`the removal was refused: ${status} ${text}`);
      this.removed.add(id);
    });
  }

  /** What a client does that got no reply: it asks for what it wanted again. */
  async repeat(client: Client, ground: Ground, task: Task): Promise<void> {
    const [known] = [...this.accepted].find(([, { name }]) => name === task.name) ?? [];
    const id = await send(client, ground, task);
    if (known !== undefined && known !== id) throw new Error(`${task.name} is ${known}, and now ${id}`);
    this.accepted.set(id, task);
  }
}

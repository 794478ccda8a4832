// What the clients of the cluster know, and what they asked for.
import { isTerminal } from '../ledger.mjs';

/** @typedef {import('../ledger.mjs').Job & { host: string, action: string, stale?: boolean, startedAt: string | null, finishedAt: string | null, request: Record<string, unknown> }} Job */

/**
 * What was submitted: how it ends and what it prints, in the words of the lab CLI, unless it is ended before.
 * @typedef {object} Task
 * @property {string} kind
 * @property {readonly { exit: number, log: string, starts: number }[]} ends those that are right
 * @property {string | undefined} key
 */

export class ClusterLedger {
  /** Label → what was submitted; a job that was never answered for may or may not be there. @type {Map<string, Task>} */
  submitted = new Map();
  /** Id → the label of those with a 202. @type {Map<string, string>} */
  accepted = new Map();
  /** Ids that somebody tried to cancel, answered or not. @type {Set<string>} */
  touched = new Set();
  /** Ids whose cancel was answered: it ends them. @type {Set<string>} */
  canceled = new Set();
  /** Logs that were followed to an end that was no breach. @type {{ id: string, through: string, text: string, when: string }[]} */
  followed = [];
  /** Id → the first end that was seen. @type {Map<string, string>} */
  #ends = new Map();
  /** Answers by what was asked, as `POST /jobs 202`. @type {Map<string, number>} */
  answers = new Map();
  /** @type {string[]} */
  violations = [];

  /** @param {string} what @param {{ status: number, body: any }} reply */
  count(what, { status, body }) {
    const code = status >= 400 ? ` ${body?.code ?? ''}` : '';
    const name = `${what}: ${status}${code}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    // What is away answers 503. 502: the lab CLI failed, which stumbles over labs that go while it lists them. 500 is a bug.
    if (status === 500) this.violations.push(`${what}: ${status} ${body?.error}`);
  }

  /** A terminal state never changes, over restarts too, and from whichever host. @param {Job} job */
  see(job) {
    if (!isTerminal(job) || job.stale === true) return;
    const end = `${job.state}, ${job.reason}, exit code ${job.exitCode} on ${job.host}`;
    const before = this.#ends.get(job.id);
    if (before !== undefined && before !== end)
      this.violations.push(`${job.id} was "${before}" and is "${end}" now`);
    this.#ends.set(job.id, end);
  }
}

// The answers that clients of a service or of a cluster got: accepted jobs, answered cancels, ends of jobs.
/**
 * The fields of a job that these scripts read.
 * @typedef {object} Job
 * @property {string} id
 * @property {string} state
 * @property {string} reason
 * @property {number | null} exitCode
 * @property {string | null} error
 * @property {string} workdir
 * @property {number} logSize
 * @property {readonly string[]} leftovers
 * @property {Readonly<Record<string, string>>} labels
 * @property {string | null} cleanupOf
 * @property {string | null} cleanupJobId
 * @property {string | null} retryOf
 * @property {string | null} [host]
 * @property {boolean} [stale]
 */

const terminal = new Set(['success', 'failed', 'canceled']);
export const isTerminal = (/** @type {Pick<Job, 'state'>} */ job) => terminal.has(job.state);

export class Ledger {
  /** Label → the task that was submitted, with its `key`; a job that was never answered for may or may not be there. @type {Map<string, any>} */
  submitted = new Map();
  /** Id → the label of the request, of those with a 202; a retry has that of its job. @type {Map<string, string>} */
  accepted = new Map();
  /** Id → the state with which a cancel was answered. @type {Map<string, string>} */
  cancels = new Map();
  /** Ids that a client tried to cancel, with or without an answer. @type {Set<string>} */
  touched = new Set();
  /** Ids that a client tried to remove, with or without an answer; `removed` has those with an answer. @type {Set<string>} */
  doomed = new Set();
  /** @type {Set<string>} */
  removed = new Set();
  /** Label → id, of requests with a key that were answered; each was sent until it was. @type {Map<string, string>} */
  keyed = new Map();
  /** Logs that were followed to an end that was no breach. @type {{ id: string, through: string, text: string, when: string }[]} */
  followed = [];
  /** Answers by what was asked, as `POST /jobs 202`. @type {Map<string, number>} */
  answers = new Map();
  /** Id → the first end that a client got. @type {Map<string, string>} */
  #ends = new Map();
  /** @type {string[]} */
  violations = [];

  /** @param {string} what @param {{ status: number, body: any }} reply */
  count(what, { status, body }) {
    const code = status >= 400 ? ` ${body?.code ?? ''}` : '';
    const name = `${what}: ${status}${code}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    // A host that is away answers 503. 502: the lab CLI failed, which stumbles over labs that go while it lists them. 500 is a bug.
    if (status === 500) this.violations.push(`${what}: ${status} ${body?.error}`);
  }

  /** A terminal state never changes, over restarts too, and from whichever host. @param {Job} job */
  see(job) {
    if (!isTerminal(job) || job.stale === true) return;
    const end = `${job.state}, ${job.reason}, exit code ${job.exitCode} on ${job.host ?? 'this host'}`;
    const before = this.#ends.get(job.id);
    if (before !== undefined && before !== end)
      this.violations.push(`${job.id} was "${before}" and is "${end}" now`);
    this.#ends.set(job.id, end);
  }
}

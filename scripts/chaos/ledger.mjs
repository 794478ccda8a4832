// What the clients of the service know: the jobs that were accepted, the cancels that were answered, the ends they saw.
/**
 * A job as the service shows it, as far as anybody here looks at it.
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
 */

/**
 * What was submitted, and what must become of it: its exit code and its log, unless it is ended before.
 * @typedef {object} Task
 * @property {string} kind
 * @property {number} exit
 * @property {number | undefined} timeoutSeconds
 * @property {string} log
 * @property {string | undefined} [onCancel]
 * @property {boolean} countsStarts
 */

const terminal = new Set(['success', 'failed', 'canceled']);
export const isTerminal = (/** @type {Pick<Job, 'state'>} */ job) => terminal.has(job.state);

export class Ledger {
  /** Label → what was submitted; a job that was never answered for may or may not be there. @type {Map<string, Task>} */
  submitted = new Map();
  /** Ids with a 202. @type {Set<string>} */
  accepted = new Set();
  /** Id → the state with which a cancel was answered. @type {Map<string, string>} */
  cancels = new Map();
  /** Ids that somebody tried to cancel, answered or not. @type {Set<string>} */
  touched = new Set();
  /** Ids that somebody tried to remove, answered or not, and those of which it was answered. @type {Set<string>} */
  doomed = new Set();
  /** @type {Set<string>} */
  removed = new Set();
  /** Label → id, of requests with a key that were answered; each was sent until it was. @type {Map<string, string>} */
  keyed = new Map();
  /** Id → the first end that was seen. @type {Map<string, string>} */
  ends = new Map();
  /** @type {string[]} */
  violations = [];

  /** A terminal state never changes, over restarts too. @param {Job} job */
  see(job) {
    if (!isTerminal(job)) return;
    const end = `${job.state}, ${job.reason}, exit code ${job.exitCode}`;
    const before = this.ends.get(job.id);
    if (before !== undefined && before !== end)
      this.violations.push(`${job.id} was "${before}" and is "${end}" now`);
    this.ends.set(job.id, end);
  }
}

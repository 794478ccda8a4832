// The jobs of a run, for the fake lab CLI (tests/fixtures/programs/fake-netlab), which runs each line of `script`. A job must end
// with `exit` and print `lines`, unless it is canceled before.

const count = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

/** A background process must not keep the lock by which overlaps are noticed. */
const detached = '9>&- </dev/null >/dev/null 2>&1';

/**
 * @typedef {object} Kind
 * @property {readonly string[]} script
 * @property {number} exit
 * @property {readonly string[]} lines
 * @property {number} [timeoutSeconds]
 * @property {'down'} [onCancel]
 */

/**
 * A submitted job: the exit code and the log with which it must end, unless it is canceled before.
 * @typedef {object} Task
 * @property {string} kind
 * @property {number} exit
 * @property {number | undefined} timeoutSeconds
 * @property {string} log
 * @property {string | undefined} [onCancel]
 * @property {boolean} countsStarts
 */

/** @satisfies {Readonly<Record<string, Kind>>} */
export const kinds = {
  short: { script: ['echo hello'], exit: 0, lines: ['hello'] },
  long: { script: ['for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done'], exit: 0, lines: count(1, 8) },
  failing: { script: ['echo trying', 'sleep 0.2', 'echo failed >&2'], exit: 5, lines: ['trying', 'failed'] },
  stubborn: {
    script: ['trap "" INT TERM', 'echo no', 'sleep 1.5', 'echo done'],
    exit: 3,
    lines: ['no', 'done'],
  },
  forking: {
    script: ['(sleep 0.5; echo child) &', 'wait', `(sleep 2) ${detached} &`, 'echo parent'],
    exit: 0,
    lines: ['child', 'parent'],
  },
  daemon: {
    script: [
      `setsid --fork sh -c "trap '' INT TERM; sleep 3" ${detached}`,
      'echo away',
      'sleep 0.5',
      'echo end',
    ],
    exit: 0,
    lines: ['away', 'end'],
  },
  verbose: { script: ['seq 1 30000', 'sleep 0.3', 'seq 30001 60000'], exit: 0, lines: count(1, 60_000) },
  // An `up` that never gets up; the `down` after its cancel finds nothing.
  cleaned: { script: ['echo half', 'sleep 1'], exit: 6, lines: ['half'], onCancel: 'down' },
  overdue: { script: ['echo slow', 'sleep 600'], exit: 0, lines: ['slow'], timeoutSeconds: 0.7 },
};

/**
 * The topology of a job. Its commands note the start of the job, the directory where it runs and the lab CLI that runs it
 * (`$state` is the directory of the lab CLI), and whether another job runs in the same directory.
 * @param {{ script: readonly string[], exit?: number }} kind without `exit`, the lab CLI goes on with what it does by itself
 */
export function topologyOf({ script, exit }) {
  const commands = [
    'echo "$LAB_JOB_ID" >>"$state/starts"',
    'exec 9>"$PWD/.busy"',
    'flock -n 9 || echo "$LAB_JOB_ID" >>"$state/overlaps"',
    'echo "$LAB_JOB_ID $state" >>"$PWD/.ran"',
    ...script,
    ...(exit === undefined ? [] : [`exit ${exit}`]),
  ];
  return ['name: chaos', 'nodes: [r1, r2]', ...commands.map((command) => `# run: ${command}`), ''].join('\n');
}

/** The log of a job that runs to its end. @param {Kind} kind */
export const logOf = ({ lines }) => lines.map((line) => `${line}\n`).join('');

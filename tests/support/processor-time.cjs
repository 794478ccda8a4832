const { readFileSync } = require('node:fs');
const path = require('node:path');

/** Seconds of processor time so far: of this process, and of those that it started, or they, and that were waited for. */
function processorSeconds() {
  const { user, system } = process.cpuUsage();
  // proc_pid_stat(5): the state is the third field; cutime and cstime are the 16th and 17th, in ticks of 1/100 s.
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return { inJest: (user + system) / 1e6, inOthers: (Number(fields[13]) + Number(fields[14])) / 100 };
}

/** @typedef {{ name: string, inJest: number, inOthers: number }} Cost */

/** @param {Cost} cost */
const sumOf = ({ inJest, inOthers }) => inJest + inOthers;
/** @param {Cost} cost */
const lineOf = ({ name, ...cost }) =>
  `${cost.inJest.toFixed(1).padStart(7)} ${cost.inOthers.toFixed(1).padStart(9)}  ${name}\n`;

/** A Jest reporter that ends the run with the processor time of each group of tests and of the files that took most. */
class ProcessorTime {
  /** @type {Cost[]} */
  #files = [];
  #before = processorSeconds();

  /** @param {{ maxWorkers: number }} config */
  constructor({ maxWorkers }) {
    if (maxWorkers !== 1) throw new Error('Processor time is counted with --maxWorkers=1 only.');
  }

  /** @param {{ path: string }} test */
  onTestFileResult(test) {
    const now = processorSeconds();
    const inJest = now.inJest - this.#before.inJest;
    const inOthers = now.inOthers - this.#before.inOthers;
    this.#before = now;
    this.#files.push({ name: path.relative(process.cwd(), test.path), inJest, inOthers });
  }

  onRunStart() {
    // The build, which Jest's global setup may run, is no test's.
    this.#before = processorSeconds();
  }

  onRunComplete() {
    /** @type {Map<string, Cost>} */
    const groups = new Map();
    for (const file of this.#files) {
      for (const name of ['all', file.name.split(path.sep).slice(0, 2).join('/')]) {
        const group = groups.get(name) ?? { name, inJest: 0, inOthers: 0 };
        groups.set(name, {
          name,
          inJest: group.inJest + file.inJest,
          inOthers: group.inOthers + file.inOthers,
        });
      }
    }
    const most = (/** @type {Cost[]} */ costs) => costs.toSorted((one, other) => sumOf(other) - sumOf(one));
    const lines = [...most([...groups.values()]), ...most(this.#files).slice(0, 20)].map(lineOf);
    process.stdout.write(`\nSeconds of processor time:\n   Jest processes\n${lines.join('')}`);
  }
}

module.exports = ProcessorTime;

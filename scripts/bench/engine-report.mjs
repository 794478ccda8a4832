/** The figures of the engine as a table, and whether they are good enough. */
import { showTable, target } from './kit.mjs';

/**
 * Medians in milliseconds; NaN for what was not measured.
 * @typedef {object} Result
 * @property {number} count nodes
 * @property {number} runs
 * @property {number} up
 * @property {number} down
 * @property {number} floorUp
 * @property {number} floorDown
 * @property {number} node
 * @property {number} version
 * @property {number} mininet
 */

const upTarget = 2;
const mininetTarget = 10;

/** @param {readonly Result[]} results */
export function show(results) {
  const seconds = (/** @type {number} */ ms) => (Number.isNaN(ms) ? '–' : `${(ms / 1000).toFixed(2)} s`);
  const times = (/** @type {number} */ ratio) => (Number.isNaN(ratio) ? '–' : `${ratio.toFixed(1)} ×`);
  /** @type {[string, (result: Result) => string][]} */
  const rows = [
    ['runs (medians below)', ({ runs }) => String(runs)],
    ['lab up', ({ up }) => seconds(up)],
    ['lab down', ({ down }) => seconds(down)],
    ['floor: its commands by hand', ({ floorUp }) => seconds(floorUp)],
    ['floor: their removal', ({ floorDown }) => seconds(floorDown)],
    ['node -e 0', ({ node }) => seconds(node)],
    ['lab --version', ({ version }) => seconds(version)],
    ['mininet, up and down', (result) => seconds(result.mininet)],
    ['up ÷ floor', ({ up, floorUp }) => times(up / floorUp)],
    ['(up − node) ÷ floor', ({ up, node, floorUp }) => times((up - node) / floorUp)],
    ['mininet ÷ (up + down)', (result) => times(result.mininet / (result.up + result.down))],
  ];
  showTable(
    ['', ...results.map(({ count }) => `${count} nodes`)],
    rows.map(([name, cell]) => [name, ...results.map(cell)]),
  );
}

/** Prints the targets. @param {readonly Result[]} results */
export function judge(results) {
  const hundred = results.find(({ count }) => count === 100);
  const isFast = hundred && hundred.up <= upTarget * hundred.floorUp + hundred.node;
  const isCompared = hundred && !Number.isNaN(hundred.mininet);
  const isFaster = isCompared ? hundred.mininet >= mininetTarget * (hundred.up + hundred.down) : undefined;
  // A lab that is not complete, or not gone completely, ends the measurements.
  const isComplete = results.some(({ count }) => count >= 1000) || undefined;
  target(`100 nodes: up takes no more than ${upTarget} × the floor and the start of Node`, isFast);
  target(`100 nodes: ${mininetTarget} × faster than mininet`, isFaster);
  target('1,000 nodes come up and go down completely', isComplete);
}

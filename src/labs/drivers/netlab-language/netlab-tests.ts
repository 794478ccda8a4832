import { AppError } from '../../../lib/app-error.ts';
import type { ListedTest, TestsDriver } from '../tests-driver.ts';
import { listFailure, ranToItsEnd } from '../status-failure.ts';

const headings = ['Test', 'Description', 'Nodes', 'Devices', 'Wait'];

/** The cells of a line of the table; undefined for any other line. A description may have a bar of its own. */
function cellsOf(line: string): string[] | undefined {
  const bar = /^[│┃|]/.exec(line)?.[0];
  if (bar === undefined || !line.trimEnd().endsWith(bar)) return undefined;
  const cells = line.trimEnd().slice(1, -1).split(bar);
  if (cells.length < headings.length) return undefined;
  const description = cells.slice(1, -3).join(bar);
  return [cells[0] ?? '', description, ...cells.slice(-3)].map((cell) => cell.trim());
}

const listOf = (text: string): string[] => text.split(',').filter((part) => part !== '');

function testOf([
  name = '',
  description = '',
  nodes = '',
  devices = '',
  wait = '',
]: readonly string[]): ListedTest {
  return {
    name,
    description: description === '' ? null : description,
    nodes: listOf(nodes),
    devices: listOf(devices),
    waitSeconds: /^\d+$/.test(wait) ? Number(wait) : null,
  };
}

/** The tests in their order; undefined when this is no such table. Made for a table whose columns are never broken. */
export function listedTests(printed: string): readonly ListedTest[] | undefined {
  const rows: string[][] = [];
  let isHeadSeen = false;
  for (const line of printed.split('\n')) {
    const cells = cellsOf(line);
    if (cells === undefined) continue;
    if (!isHeadSeen) isHeadSeen = cells.join() === headings.join();
    // A line between two rows is drawn with other signs, or, where it has bars at its ends, is one long word.
    else if (cells[0] !== '') rows.push(cells);
    else {
      const last = rows.at(-1);
      if (last !== undefined && cells[1] !== '') last[1] = `${last[1] ?? ''} ${cells[1] ?? ''}`.trim();
    }
  }
  return isHeadSeen ? rows.map(testOf) : undefined;
}

/** netsim/cli/validate/__init__.py: it has nothing to list, and fails. */
const none = 'No validation tests defined for the current lab';

/** The tests that `netlab validate` would run. */
export const netlabTests: TestsDriver = {
  list: async (run) => {
    const result = await run(['validate', '--list']);
    if (result.exitCode === 1 && result.stderr.includes(none)) return [];
    if (!ranToItsEnd(result) || result.exitCode !== 0) throw listFailure(result);
    const tests = listedTests(result.stdout.toString('utf8'));
    if (tests !== undefined) return tests;
    throw new AppError('lab-cli-failed', 'The lab CLI printed something else than the tests of the lab');
  },
};

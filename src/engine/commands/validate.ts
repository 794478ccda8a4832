/** `lab validate`: runs the tests of a lab, prints what `netlab validate` prints, and ends with its exit codes. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { snapshotName } from '../core/file-names.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { Lab, LabTest } from '../core/lab.ts';
import { readTestsFrom } from '../lab/read-test-file.ts';
import { readSnapshot } from '../lab/snapshot.ts';
import { chooseLab, type RegisteredLab } from '../state/choose-lab.ts';
import { readNodeRecords } from '../state/node-records.ts';
import { argumentsInNode } from '../system/node-command.ts';
import { runProgram } from '../system/run-program.ts';
import { Report } from '../validation/report.ts';
import { runTests, type RunInNode } from '../validation/run-tests.ts';
import { noProgram } from './exec.ts';
import { findNode } from './find-node.ts';

interface ValidateOptions {
  /** Names, or regular expressions for them; all tests when empty. */
  readonly tests: readonly string[];
  /** All nodes when empty. */
  readonly nodes: readonly string[];
  readonly list: boolean;
  readonly skipWait: boolean;
  readonly errorOnly: boolean;
  readonly skipMissing: boolean;
  readonly source?: string;
  readonly instance?: string;
}

const changeTimeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** The tests of the requested file, else of the topology if it was edited since the start, else those of the lab. */
async function testsOf(context: EngineContext, { entry }: RegisteredLab, lab: Lab, source?: string) {
  if (source !== undefined)
    return readTestsFrom(context, { file: path.resolve(context.cwd, source), kind: 'tests' }, lab);
  const topology = path.resolve(entry.dir, entry.topology);
  const [snapshotMs, topologyMs] = await Promise.all(
    [path.join(entry.dir, snapshotName), topology].map(changeTimeOf),
  );
  const isEdited = topology.endsWith('.json') ? false : (topologyMs ?? 0) > (snapshotMs ?? 0);
  if (!isEdited) return lab.tests ?? [];
  context.err('Warning: Topology source file(s) have changed since the lab has started\n');
  return readTestsFrom(context, { file: topology, kind: 'topology' }, lab);
}

function matcherOf(text: string): RegExp {
  try {
    return new RegExp(`^(?:${text})$`);
  } catch {
    throw new EngineError(`${text} is neither the name of a test nor a regular expression`);
  }
}

/** The tests with such a name, in the order of the request. */
function withNames(all: readonly LabTest[], wanted: readonly string[]): readonly LabTest[] {
  if (wanted.length === 0) return all;
  const found = wanted.flatMap((text) => {
    const matcher = matcherOf(text);
    const tests = all.filter(({ name }) => matcher.test(name));
    if (tests.length > 0) return tests;
    throw new EngineError(
      `Invalid test name or regex expression ${text}, use "lab validate --list" to list test names`,
    );
  });
  return [...new Set(found)];
}

function onNodes(all: readonly LabTest[], wanted: readonly string[], lab: Lab): readonly LabTest[] {
  if (wanted.length === 0) return all;
  const unknown = wanted.find((node) => !lab.nodes.some(({ name }) => name === node));
  if (unknown !== undefined)
    throw new EngineError(`Invalid node name ${unknown}, use "lab status" to list nodes in your lab`);
  const left = all
    .map((test) => ({ ...test, nodes: test.nodes.filter((node) => wanted.includes(node)) }))
    .filter(({ nodes }) => nodes.length > 0);
  if (left.length === 0) throw new EngineError('No tests are executed on any of the specified nodes');
  return left;
}

/** As netlab prints its tables (`print_table` of netsim/utils/strings.py): a rule between every two rows. */
function printTable(
  [heading = [], ...rows]: readonly (readonly string[])[],
  out: (text: string) => void,
): void {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[], bar: string): string =>
    `${bar}${row.map((text, column) => ` ${text.padEnd(widths[column] ?? 0)} `).join(bar)}${bar}\n`;
  const rule = ([left, stroke, cross, right]: readonly [string, string, string, string]): string =>
    `${left}${widths.map((width) => stroke.repeat(width + 2)).join(cross)}${right}\n`;
  out(rule(['┏', '━', '┳', '┓']) + line(heading, '┃') + rule(['┡', '━', '╇', '┩']));
  out(rows.map((row) => line(row, '│')).join(rule(['├', '─', '┼', '┤'])));
  out(rule(['└', '─', '┴', '┘']));
}

function listTests(tests: readonly LabTest[], { out }: EngineContext): void {
  const rows = tests.map(({ name, description, nodes, wait }) => [
    name,
    (description ?? '').replaceAll('\n', ' '),
    nodes.join(','),
    '',
    wait === null ? '' : String(wait),
  ]);
  printTable([['Test', 'Description', 'Nodes', 'Devices', 'Wait'], ...rows], out);
}

async function runnerFor(context: EngineContext, instance: string): Promise<RunInNode> {
  const records = await readNodeRecords(context.home, instance);
  return async (name, command) => {
    const node = findNode(context, records, name);
    const args = argumentsInNode(context, instance, { node, command });
    const { exitCode, stdout, stderr } = await runProgram('nsenter', args, { signal: context.interrupted });
    if (exitCode === noProgram && stderr.startsWith('Fatal error in lab exec'))
      throw new EngineError(
        `the program "${command[0]}" is not on PATH; install it (ping is in iputils-ping)`,
      );
    return stdout;
  };
}

/** Returns the exit code: 0 passed, 1 failed, 2 no tests with `--skip-missing`, 3 warnings. */
export async function validateCommand(context: EngineContext, options: ValidateOptions): Promise<number> {
  const registered = await chooseLab(context, options.instance);
  const { instance, entry } = registered;
  const lab = await readSnapshot(entry.dir);
  const defined = await testsOf(context, registered, lab, options.source);
  if (defined.length === 0 && options.skipMissing) return 2;
  if (defined.length === 0) throw new EngineError('No validation tests defined for the current lab, exiting');
  const all = onNodes(withNames(defined, options.tests), options.nodes, lab);
  if (options.list) {
    listTests(all, context);
    return 0;
  }
  const report = new Report(context, { isErrorOnly: options.errorOnly, all });
  return runTests(all, {
    lab,
    report,
    runInNode: await runnerFor(context, instance),
    isWaiting: !options.skipWait,
    startedMs: Date.parse(entry.timestamp.replace(' ', 'T')),
    interrupted: context.interrupted,
  });
}

/** Runs the tests of a lab one after the other, as `netlab validate` does (netsim/cli/validate/tests.py). */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/app-error.ts';
import type { Lab, LabNode, LabTest } from '../core/lab.ts';
import { parsePluginCall } from '../topology/plugin-call.ts';
import { meetsCondition } from './output-condition.ts';
import { judgePing, pingCommand, pingOf, type Verdict } from './ping.ts';
import type { Report } from './report.ts';

/** Runs a command in a node to its end, and returns its standard output. */
export type RunInNode = (node: string, command: readonly string[]) => Promise<string>;

export interface TestRun {
  readonly lab: Lab;
  readonly report: Report;
  readonly runInNode: RunInNode;
  readonly isWaiting: boolean;
  /** The start of the lab in ms since 1970: tests that only wait count from it. */
  readonly startedMs: number;
  readonly interrupted: AbortSignal;
}

type NodeVerdict = Verdict | { readonly isPassed: null; readonly message: string };

/** The result of a test; null if it has no verdict. */
type TestVerdict = boolean | null;

const unable = (node: LabNode): NodeVerdict => ({
  isPassed: null,
  message: `Test action not defined for device ${node.device} / node ${node.name}`,
});

async function runPlugin(text: string, node: LabNode, { lab, runInNode }: TestRun): Promise<NodeVerdict> {
  const call = parsePluginCall(text);
  if (call?.name !== 'ping') return unable(node);
  try {
    const ping = pingOf(call, lab, node);
    return judgePing(ping, await runInNode(node.name, pingCommand(ping)));
  } catch (error) {
    return { isPassed: false, message: messageOf(error) };
  }
}

async function runExec(line: string, test: LabTest, node: LabNode, run: TestRun): Promise<NodeVerdict> {
  const printed = await run.runInNode(node.name, ['sh', '-c', line]);
  if (test.valid === null) return { isPassed: null, message: '' };
  const isMet = meetsCondition(test.valid, printed);
  if (isMet === undefined)
    return {
      isPassed: null,
      message: `the bundled engine does not understand the condition of ${test.name}`,
    };
  const message = isMet ? `Validation succeeded on ${node.name}` : `Test failed for node ${node.name}`;
  return { isPassed: isMet, message };
}

async function runOn(test: LabTest, node: LabNode, run: TestRun): Promise<NodeVerdict> {
  if (test.plugin !== null) return runPlugin(test.plugin, node, run);
  if (test.exec !== null) return runExec(test.exec, test, node, run);
  return test.hasAction ? unable(node) : { isPassed: null, message: '' };
}

function tell(test: LabTest, node: LabNode, verdict: NodeVerdict, report: Report): void {
  const { isPassed, message } = verdict;
  if (isPassed === true) report.pass(test.plugin === null ? message : `${node.name}: ${message}`);
  else if (isPassed === false) report.fail(test, node.name, message);
  else if (message !== '') report.skip(message);
  else if (test.exec !== null && test.pass !== null) report.say('PASS', `${node.name}: ${test.pass}`);
}

/** Waits, and prints the remaining time every five seconds. */
async function waitOnly(test: LabTest, run: TestRun): Promise<void> {
  const { wait, waitMessage } = test;
  if (wait === null || wait === 0) return;
  let left = Math.ceil((run.startedMs - Date.now()) / 1000 + wait);
  if (left > 0 && waitMessage !== null) run.report.say('WAITING', waitMessage);
  for (; left >= 0; left -= 5) {
    run.report.say('WAITING', `Waiting for ${wait} seconds, ${left} seconds left`);
    await sleep(Math.min(left, 5) * 1000, undefined, { signal: run.interrupted });
  }
}

/** A test without nodes: it waits, stops the run after a failure, or only prints a line. */
async function runWithoutNodes(test: LabTest, run: TestRun): Promise<TestVerdict> {
  const { report } = run;
  if (test.stopsOnError && report.counts.failed > 0) {
    report.complain('FAIL', 'Validation failed due to previous errors');
    return false;
  }
  if (test.stopsOnError) report.say('INFO', test.pass ?? 'No errors so far, moving on');
  if (test.isWarning) {
    report.fail(test, null, 'Test failed for node ');
    return false;
  }
  if (run.isWaiting) await waitOnly(test, run);
  return null;
}

/** Runs the test on each node every second, until all nodes pass or the time of the test is over. */
async function runOnNodes(test: LabTest, run: TestRun): Promise<TestVerdict> {
  const { report, lab, interrupted } = run;
  const beganMs = performance.now();
  const wait = run.isWaiting ? (test.wait ?? 0) : 0;
  const endMs = beganMs + wait * 1000;
  let left = lab.nodes.filter(({ name }) => test.nodes.includes(name));
  let verdict: TestVerdict = null;
  let nextWordMs = beganMs;
  for (;;) {
    const again: LabNode[] = [];
    for (const node of left) {
      const isLast = performance.now() >= endMs;
      const found = await runOn(test, node, run);
      interrupted.throwIfAborted();
      if (found.isPassed === false && !isLast) {
        again.push(node);
        continue;
      }
      tell(test, node, found, report);
      if (found.isPassed === false) verdict = false;
      else if (found.isPassed === true) verdict ??= true;
    }
    left = again;
    if (left.length === 0) break;
    const nowMs = performance.now();
    if (test.waitMessage !== null && verdict !== false && nowMs > nextWordMs) {
      const isFirst = nextWordMs === beganMs;
      const time = isFirst
        ? `retrying for ${wait} seconds`
        : `${Math.trunc((endMs - nowMs) / 1000)} seconds left`;
      report.say('WAITING', `${test.waitMessage} (${time})`);
      nextWordMs += 15_000;
    }
    await sleep(1000, undefined, { signal: interrupted });
  }
  if (verdict !== true) return verdict;
  report.say('PASS', `Test succeeded in ${((performance.now() - beganMs) / 1000).toFixed(1)} seconds`);
  if (test.pass !== null) report.say('PASS', test.pass);
  return true;
}

/**
 * Runs the tests in order, up to one that stops the rest. Returns the exit code. @throws the reason of `interrupted`.
 */
export async function runTests(tests: readonly LabTest[], run: TestRun): Promise<number> {
  let { startedMs } = run;
  const { report, interrupted } = run;
  for (const test of tests) {
    interrupted.throwIfAborted();
    report.begin(test);
    const current = { ...run, startedMs };
    const running = test.nodes.length === 0 ? runWithoutNodes(test, current) : runOnNodes(test, current);
    const verdict = await running.catch((error: unknown) => {
      // The error of an aborted timer does not contain the reason.
      interrupted.throwIfAborted();
      throw error;
    });
    if (verdict === false && test.stopsOnError) {
      if (test.nodes.length > 0) report.stop('Mandatory test failed, validation stopped');
      return 1;
    }
    if (test.wait !== null) startedMs = Date.now();
  }
  report.sum();
  return report.exitCode;
}

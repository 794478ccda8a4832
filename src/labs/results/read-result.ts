/** From what an action printed to what its record tells of it, and to the files that are kept beside the record. */
import type { OutputEnd, OutputReader } from '../drivers/lab-driver.ts';
import type { JobResult, TestResult, TestsResult } from '../model/job-result.ts';
import { junitXml } from './junit.ts';

/** Records, and the lists of them, stay small. */
const maxRecordBytes = 32 * 1024;

/** Of a hundred tests, no more than that fits beside their names. */
const maxBareReason = 120;

interface ActionResult {
  /** null when it found out nothing, or nothing that is understood. */
  readonly result: JobResult | null;
  /** Sentences for a person. */
  readonly warnings: readonly string[];
  /** Files to keep with the job: content by name. */
  readonly artifacts: ReadonlyMap<string, string>;
}

/** Takes the lines of a log, without their ends, in order; then makes the result. */
export interface ResultReader {
  readonly line: (text: string) => void;
  readonly end: (end: OutputEnd) => ActionResult;
}

const fits = (result: TestsResult): boolean => Buffer.byteLength(JSON.stringify(result)) <= maxRecordBytes;

const isGood = ({ outcome }: TestResult): boolean => outcome === 'passed';
const withoutMessages = (test: TestResult): TestResult => ({ ...test, messages: [] });
const bare = (test: TestResult): TestResult => ({
  ...withoutMessages(test),
  reason: test.reason?.slice(0, maxBareReason) ?? null,
  description: null,
  nodes: [],
});

/** The parts that may be left out, the least important first. */
const cuts: readonly ((tests: readonly TestResult[]) => readonly TestResult[])[] = [
  (tests) => tests.map((test) => (isGood(test) ? withoutMessages(test) : test)),
  (tests) => tests.map((test) => (isGood(test) ? bare(test) : withoutMessages(test))),
  (tests) => tests.filter((test) => !isGood(test)),
  (tests) => tests.filter((test) => !isGood(test)).map(bare),
  (tests) =>
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .slice(0, 100)
      .map(bare),
  (tests) =>
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .slice(0, 100)
      .map((test) => ({ ...bare(test), reason: null })),
];

/** As much of it as there is room for in a record. */
function forRecord(result: JobResult): JobResult {
  if (result.kind !== 'tests' || fits(result)) return result;
  for (const cut of cuts) {
    const shorter = { ...result, truncated: true, tests: [...cut(result.tests)] };
    if (fits(shorter)) return shorter;
  }
  return { ...result, truncated: true, tests: [] };
}

/** Of the tests: all of them that were read, also those for which the record has no room. */
function artifactsOf(
  result: JobResult | null,
  suite: Parameters<typeof junitXml>[1],
): ReadonlyMap<string, string> {
  return new Map(result?.kind === 'tests' ? [['junit.xml', junitXml(result, suite)]] : []);
}

export function resultReader(output: OutputReader, suite: Parameters<typeof junitXml>[1]): ResultReader {
  return {
    line: output.line,
    end: (end) => {
      const { result, warnings } = output.end(end);
      return { result: result && forRecord(result), warnings, artifacts: artifactsOf(result, suite) };
    },
  };
}

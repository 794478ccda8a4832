/**
 * The results of tests as JUnit XML, which CI systems read. There is no standard; this is the form that GitLab, Jenkins and the
 * actions for GitHub take: https://github.com/testmoapp/junitxml
 */
import type { TestResult, TestsResult } from '../model/job-result.ts';

interface Suite {
  /** Its name for people. */
  readonly name: string;
  /** RFC 3339. */
  readonly startedAt: string | null;
}

/** XML 1.0 has no place for most control characters, not even escaped (section 2.2). */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

const inText = (value: string): string =>
  value.replaceAll(forbidden, '\ufffd').replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);
const inAttribute = (value: string): string =>
  value.replaceAll(forbidden, '\ufffd').replaceAll(/[&<>"\n\r\t]/g, (sign) => entities[sign] ?? sign);

function attributes(given: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${inAttribute(String(value))}"`)
    .join('');
}

/** JUnit knows no warnings: a test that gave one has not failed, and says so in its output. */
function bodyOf({ outcome, reason, messages }: TestResult): string {
  const text = messages.join('\n');
  const message = reason ?? '';
  switch (outcome) {
    case 'failed':
      return `<failure${attributes({ message })}>${inText(text)}</failure>`;
    case 'skipped':
      return `<skipped${attributes({ message })}/>`;
    case null:
      return `<skipped message="it gave no verdict"/>${text === '' ? '' : `<system-out>${inText(text)}</system-out>`}`;
    case 'warning':
      return `<system-out>${inText(`WARNING: ${text}`)}</system-out>`;
    case 'passed':
      return text === '' ? '' : `<system-out>${inText(text)}</system-out>`;
  }
}

/** Milliseconds: sums of decimal fractions have digits that nothing measured. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function testCase(test: TestResult, suite: string): string {
  const { name, description, nodes, seconds } = test;
  const properties = Object.entries({ description, nodes: nodes.join(',') || null })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `<property${attributes({ name: key, value })}/>`);
  const about = properties.length === 0 ? '' : `<properties>${properties.join('')}</properties>`;
  const head = attributes({ classname: suite, name, time: seconds && rounded(seconds) });
  return `    <testcase${head}>${about}${bodyOf(test)}</testcase>\n`;
}

/** An error of the suite, so that a run that was cut short is not taken for one that passed. */
const cutShort = (suite: string): string =>
  `    <testcase${attributes({ classname: suite, name: 'all tests came to their end' })}>` +
  '<error message="the tests were ended before their end, or some are not listed: see the log of the job"/></testcase>\n';

/** The whole file. */
export function junitXml(result: TestsResult, { name, startedAt }: Suite): string {
  const { tests } = result;
  const isWhole = result.complete && !result.truncated;
  const counts = {
    tests: tests.length + (isWhole ? 0 : 1),
    failures: tests.filter(({ outcome }) => outcome === 'failed').length,
    errors: isWhole ? 0 : 1,
    skipped: tests.filter(({ outcome }) => outcome === 'skipped' || outcome === null).length,
    time: rounded(tests.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0)),
  };
  const cases = tests.map((test) => testCase(test, name)).join('');
  const suite = `<testsuite${attributes({ name, ...counts, timestamp: startedAt })}>`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes(counts)}>\n  ${suite}\n` +
    `${cases}${isWhole ? '' : cutShort(name)}  </testsuite>\n</testsuites>\n`
  );
}

const { writeSync } = require('node:fs');
const everydayFiles = require('./everyday-files.cjs');

/**
 * A Jest reporter that ends the run with what was not tested: the full name of every skipped test (the names say why),
 * how much is left to the thorough mode (everyday-files.cjs, thorough.ts), and one plain line that other programs can read.
 */
class SkipReporter {
  /**
   * @param {unknown} _contexts
   * @param {{
   *   testResults: { testResults: { status: string, fullName: string }[] }[],
   *   numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number,
   * }} results
   */
  onRunComplete(_contexts, results) {
    const skipped = results.testResults.flatMap((file) =>
      file.testResults.filter(({ status }) => ['pending', 'skipped', 'disabled', 'todo'].includes(status)),
    );
    const isLeftOut = (/** @type {{ fullName: string }} */ { fullName }) =>
      /LAB_TEST_THOROUGH=1/.test(fullName);
    const lines = skipped.filter((one) => !isLeftOut(one)).map(({ fullName }) => `skipped: ${fullName}`);
    const leftOut = skipped
      .filter(isLeftOut)
      // A skipped test may stand for many.
      .map(({ fullName }) => Number(/(\d+) more cases/.exec(fullName)?.[1] ?? 1))
      .reduce((sum, count) => sum + count, 0);
    const files = everydayFiles.leftOut();
    const what = [
      files > 0 && `${files} test file${files === 1 ? '' : 's'}`,
      leftOut > 0 && `${leftOut} long tests and cases`,
    ].filter(Boolean);
    if (what.length > 0) lines.push(`left out: ${what.join(', ')}; LAB_TEST_THOROUGH=1 runs them`);
    if (lines.length > 0) lines.unshift('');
    // A file that does not load has no tests that could fail; it counts as one failure, or all would look well.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    lines.push('', `${results.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped`, '');
    // At the very end: Jest has more to say after its reporters (open handles, coverage, its own summary).
    process.once('exit', () => writeSync(process.stdout.fd, lines.join('\n')));
  }
}

module.exports = SkipReporter;

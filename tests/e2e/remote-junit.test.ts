/** `--junit FILE` of the commands that test a lab on another machine. */
import { expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { remoteLab } from '../support/remote-lab.ts';

const { service, ran } = remoteLab();

/** A directory on the server whose tests end like this. */
function tested(name: string, line: string): string {
  const directory = service().ground.makeWorkdir(name);
  writeFileSync(path.join(directory, 'tests.txt'), `[ping]  H1 reaches H2 [ node(s): h1 ]\n${line}\n`);
  return directory;
}
const inRoot = (name: string): string => path.join(service().ground.root, name);

test.each([
  ['passed', '[PASS]  it does', 0, ' failures="0"'],
  ['failed', '[FAIL]  Node h1: no answer', 1, ' failures="1"'],
])('lab validate --junit writes the report of tests that %s', async (name, line, exitCode, part) => {
  const [directory, file] = [tested(name, line), inRoot(`${name}.xml`)];
  const { output, exitCode: code } = await ran(['validate', directory, '--junit', file]);
  expect({ output, code }).toEqual({ output: expect.stringContaining('ping'), code: exitCode });
  const report = readFileSync(file, 'utf8');
  expect(report).toMatch(/^<\?xml [^]*<\/testsuites>\n$/);
  expect(report).toContain(part);
  // A report of an earlier run is replaced.
  writeFileSync(file, 'x'.repeat(report.length * 2));
  const json = await ran(['validate', directory, '--junit', file, '-o', 'json']);
  expect(json.exitCode).toBe(exitCode);
  expect(JSON.parse(json.output)).toMatchObject({ action: 'validate' });
  expect(readFileSync(file, 'utf8')).toContain(part);
});

test.each([
  ['no-such/junit.xml', 'there is no directory'],
  ['labs', 'is a directory: name a file'],
  ['a-file/junit.xml', 'not a directory'],
])('a report that cannot be written, %s, is a mistake before the job starts', async (name, sentence) => {
  writeFileSync(inRoot('a-file'), '');
  const before = readdirSync(service().ground.dataDir, { recursive: true }).length;
  const scenario = ['scenario', 'run', '-i', '1', '--each', 'link', '--flow', 'h1:h2'];
  for (const command of [['validate', '/labs/demo'], scenario])
    expect(await ran([...command, '--junit', inRoot(name)])).toEqual({
      exitCode: 2,
      output: expect.stringMatching(new RegExp(`^lab: --junit: .*${sentence}`)),
    });
  expect(readdirSync(service().ground.dataDir, { recursive: true })).toHaveLength(before);
});

test('a job without tests has no report', async () => {
  const [directory, file] = [service().ground.makeWorkdir('none'), inRoot('none.xml')];
  const { exitCode, output } = await ran(['validate', directory, '--junit', file]);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/^lab: job-\S+ has no junit\.xml$/m);
  expect(existsSync(file)).toBe(false);
});

test('--list runs no tests, and so goes without --junit', async () => {
  expect(await ran(['validate', '-i', '1', '--list', '--junit', inRoot('x.xml')])).toMatchObject({
    exitCode: 2,
    output: expect.stringContaining('cannot be used with'),
  });
});

/** What a job found out is on disk before the job is terminal, and costs at most itself. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LabPort } from '../../../../src/jobs/model/lab-port.ts';
import { readResult } from '../../../../src/jobs/run/read-result.ts';
import { jobPaths, type JobPaths } from '../../../../src/jobs/store/job-files.ts';
import type { JobResult } from '../../../../src/labs/model/job-result.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const job = sampleJob({ action: 'validate', state: 'running' });
const found: JobResult = { kind: 'outputs', complete: true, nodes: [] };
let paths: JobPaths;
let lines: string[] = [];

const lab: Pick<LabPort, 'resultReader'> = {
  resultReader: () => ({
    line: (text) => void lines.push(text),
    end: ({ exitCode }) => ({
      result: found,
      warnings: [`ended with ${exitCode}`],
      artifacts: new Map([['junit.xml', lines.join('|')]]),
    }),
  }),
};
const read = async (size: number | null = null, deps: Partial<Parameters<typeof readResult>[2]> = {}) =>
  readResult(job, { exitCode: 1, size }, { paths, lab, log: new MemoryLogger(), ...deps });
const artifact = (): string => path.join(paths.artifacts, 'junit.xml');

beforeEach(() => {
  paths = jobPaths(root, job.id);
  rmSync(paths.directory, { recursive: true, force: true });
  mkdirSync(paths.directory, { recursive: true });
  lines = [];
});

describe('the result', () => {
  test('is made of the lines of the log, without colours, and its files are for the service alone', async () => {
    writeFileSync(paths.log, '\u001b[31mred\u001b[0m\r\n10%\r100%\n\nno end');
    expect(await read()).toEqual({ result: found, warnings: ['ended with 1'] });
    expect(lines).toEqual(['red', '100%', '', 'no end']);
    expect(statSync(artifact()).mode & 0o777).toBe(0o600);
    expect(readFileSync(artifact(), 'utf8')).toBe('red|100%||no end');
  });

  test('is not made of what a stray printed behind the end', async () => {
    writeFileSync(paths.log, 'ours\n');
    appendFileSync(paths.log, 'not ours\n');
    await read(5);
    expect(lines).toEqual(['ours']);
  });

  test('of a long log is made of its first 16 MiB, and says so; how the lab CLI ended is no verdict on that', async () => {
    const half = `${'a'.repeat(1023)}\n`.repeat(8 * 1024);
    writeFileSync(paths.log, `${half}${half}`);
    expect(await read()).toMatchObject({ warnings: ['ended with 1'] });
    expect(lines).toHaveLength(16 * 1024);
    lines = [];
    appendFileSync(paths.log, 'late\n');
    const { warnings } = await read();
    expect(warnings).toEqual(['ended with null', 'the result was read from the first 16 MiB of the log']);
    expect(lines).toHaveLength(16 * 1024);
    expect(lines).not.toContain('late');
  });

  test('of a log that is one endless line is made of the beginning of that line', async () => {
    writeFileSync(paths.log, `${'ä'.repeat(200_000)}\nnext\n`);
    await read();
    expect(lines).toEqual(['ä'.repeat(16 * 1024), 'next']);
  });

  test('is made anew when a crash came between its files and the record', async () => {
    writeFileSync(paths.log, 'a\n');
    const first = await read();
    lines = [];
    expect(await read()).toEqual(first);
    expect(readFileSync(artifact(), 'utf8')).toBe('a');
  });

  test('stays when the disk refuses its files, and says so', async () => {
    writeFileSync(paths.log, 'a\n');
    writeFileSync(paths.artifacts, 'in the way');
    expect(await read()).toEqual({
      result: found,
      warnings: ['ended with 1', 'junit.xml could not be written: the disk refused'],
    });
  });
});

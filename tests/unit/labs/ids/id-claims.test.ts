import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/lib/app-error.ts';
import { IdClaimFiles, type IdClaim } from '../../../../src/labs/ids/id-claims.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
const claim: IdClaim = {
  jobsDirectory: '/jobs',
  job: 'job-1-abcdef',
  process: { pid: 42, startTicks: 7, bootId: 'boot' },
};

let directory: string;
let files: IdClaimFiles;
const put = (name: string, text: string): void => writeFileSync(path.join(directory, name), text);
const textOf = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
const modeOf = (name: string): number => statSync(path.join(directory, name)).mode & 0o777;

beforeEach(() => {
  directory = mkdtempSync(path.join(base, 'ids-'));
  files = new IdClaimFiles(directory);
});

describe('a claim', () => {
  test('is a file that only its owner reads, made whole, and nothing else is left', async () => {
    expect(await files.make(3, claim)).toBe(true);
    expect(readdirSync(directory)).toEqual(['3.json']);
    expect(textOf('3.json')).toBe(`${JSON.stringify(claim)}\n`);
    expect(modeOf('3.json')).toBe(0o600);
    expect([await files.has(3), await files.has(4)]).toEqual([true, false]);
    expect(await files.read()).toEqual(new Map([[3, claim]]));
  });

  test('is made by one only: what the first one said stays', async () => {
    const others = Array.from({ length: 8 }, async (_, index) =>
      files.make(3, { ...claim, job: `job-${index}` }),
    );
    const made = await Promise.all(others);
    expect(made.filter(Boolean)).toHaveLength(1);
    expect((await files.read()).get(3)?.job).toBe(`job-${made.indexOf(true)}`);
    expect(readdirSync(directory)).toEqual(['3.json']);
  });
});

describe('of what lies in the directory', () => {
  test.each([
    ['half a file', '{"jobsDirectory":'],
    ['no object', '[]'],
    ['no directory', JSON.stringify({ ...claim, jobsDirectory: undefined })],
    ['no word of a job', JSON.stringify({ ...claim, job: undefined })],
    ['no process', JSON.stringify({ ...claim, process: null })],
    ['a part of a process', JSON.stringify({ ...claim, process: { ...claim.process, pid: 1.5 } })],
    ['no boot', JSON.stringify({ ...claim, process: { pid: 42, startTicks: 7 } })],
  ])('what cannot be understood is a claim of nobody known: %s', async (_what, text) => {
    put('5.json', text);
    expect(await files.read()).toEqual(new Map([[5, null]]));
  });

  test('neither is a directory, nor a link to something that could be', async () => {
    mkdirSync(path.join(directory, '5.json'));
    put('file', JSON.stringify(claim));
    symlinkSync('file', path.join(directory, '6.json'));
    expect(await files.read()).toEqual(new Map([5, 6].map((id) => [id, null])));
  });
});

describe('alone', () => {
  test('one is at a time, whichever service asks; and the next one after a failure, too', async () => {
    const steps: string[] = [];
    const task =
      (name: string, isFailing = false) =>
      async (): Promise<string> => {
        steps.push(`${name} begins`);
        await files.writeLast(1);
        steps.push(`${name} ends`);
        if (isFailing) throw new AppError('no-free-id', 'none');
        return name;
      };
    const first = failureOf(files.alone(task('a', true)));
    const second = new IdClaimFiles(directory).alone(task('b'));
    expect([(await first).code, await second]).toEqual(['no-free-id', 'b']);
    expect(steps).toHaveLength(4);
    expect(steps.map((step) => step.slice(2))).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  test('no lock is taken through a link that somebody laid', async () => {
    symlinkSync('/nowhere-of-a-test', path.join(directory, 'lock'));
    let hasRun = false;
    const failure = await failureOf(
      files.alone(async () => {
        hasRun = true;
        return Promise.resolve();
      }),
    );
    expect([failure.code, hasRun, existsSync('/nowhere-of-a-test')]).toEqual(['storage-fault', false, false]);
    expect(failure.message).toContain('ELOOP');
  });
});

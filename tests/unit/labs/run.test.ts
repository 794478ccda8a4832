import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { runAttached, runCaptured, runForLines } from '../../../src/labs/run.ts';
import { findProcess } from '../../../src/lib/processes.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const program = (name: string): string => path.resolve(__dirname, '../../fixtures/programs', name);
const root = temporaryDirectory();
const env = { PATH: '/usr/bin:/bin' };
const patient = { env, timeoutMs: 30_000 };

describe('to its end', () => {
  test('keeps the bytes of both streams and the exit code', async () => {
    const result = await runCaptured(program('print-and-exit'), ['out \u{1f600}', 'err', '7'], patient);
    expect(result).toEqual({
      exitCode: 7,
      signal: null,
      stdout: Buffer.from('out \u{1f600}'),
      stderr: Buffer.from('err'),
      ended: null,
      spawnError: null,
    });
  });

  test('says which signal', async () => {
    expect(await runCaptured(program('kill-self'), [], patient)).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      ended: null,
    });
  });

  test('standard input is empty, the environment is the one given, the directory too', async () => {
    const result = await runCaptured('/bin/sh', ['-c', 'read x; echo "$? $ONE $HOME"; pwd'], {
      ...patient,
      env: { ...env, ONE: '1' },
      cwd: root,
    });
    expect(result.stdout.toString()).toBe(`1 1 \n${root}\n`);
  });

  test.each(['/no/such/program', '/etc'])('%s cannot be started', async (file) => {
    const result = await runCaptured(file, [], patient);
    expect(result.exitCode).toBeNull();
    expect(result.spawnError).toMatch(/ENOENT|EACCES/);
  });
});

describe('stopped', () => {
  test('a time-out kills the whole process group', async () => {
    const result = await runCaptured(program('hang-with-child'), [], { env, timeoutMs: 1_000 });
    expect(result).toMatchObject({ ended: 'timeout', signal: 'SIGKILL', exitCode: null });
    const child = Number(result.stdout.toString());
    expect(child).toBeGreaterThan(0);
    // It is as good as dead, but has to be given the processor once more to notice.
    await eventually('the child to be gone', () => findProcess(child) === undefined);
  });

  test('by the caller', async () => {
    const controller = new AbortController();
    const result = runCaptured(program('hang-with-child'), [], { ...patient, signal: controller.signal });
    controller.abort();
    expect(await result).toMatchObject({ ended: 'aborted' });
  });

  test('by a caller who had given up before', async () => {
    const result = await runCaptured(program('hang-with-child'), [], {
      ...patient,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ ended: 'aborted' });
  });

  test('because it prints without end', async () => {
    const result = await runCaptured(program('endless-output'), [], patient);
    expect(result).toMatchObject({ ended: 'too-much-output', signal: 'SIGKILL' });
    expect(result.stdout.length).toBeLessThanOrEqual(32 * 1024 * 1024);
  });
});

describe('attached', () => {
  test.each([
    ['0', 0],
    ['3', 3],
  ])('gives exit code %s', async (code, expected) => {
    expect(await runAttached(program('print-and-exit'), ['', '', code], env)).toBe(expected);
  });

  test('gives 128 + the signal', async () => {
    expect(await runAttached(program('kill-self'), [], env)).toBe(143);
  });

  test('leaves no listeners behind, also when the program cannot be started', async () => {
    await expect(runAttached('/no/such/program', [], env)).rejects.toThrow('ENOENT');
    expect(process.listenerCount('SIGINT')).toBe(0);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });
});

test('a line without an end takes no memory, and hides none of those after it', async () => {
  const lines: string[] = [];
  const script = 'echo one; head -c 3000000 /dev/zero | tr "\\0" x; printf "\\nth"; printf "ree\\nfo"';
  const { signal } = new AbortController();
  await runForLines('/bin/sh', ['-c', script], { env, signal, onLine: (line) => lines.push(line) });
  expect(lines).toEqual(['one', 'x'.repeat(64 * 1024), 'three']);
});

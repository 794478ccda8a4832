import { describe, expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { runAttached, runCaptured, runForLines } from '../../../../src/labs/system/run.ts';
import { findProcess } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const program = (name: string): string => path.resolve(__dirname, '../../../fixtures/programs', name);
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

  test('what is no argument list is not started, and nobody throws', async () => {
    const result = await runCaptured(program('print-and-exit'), ['a\0b'], patient);
    expect(result).toMatchObject({ exitCode: null, ended: null, stdout: Buffer.alloc(0) });
    expect(result.spawnError).toContain('null bytes');
  });

  test('stands behind the words for another user', async () => {
    const result = await runCaptured('/bin/sh', ['-c', 'echo $A'], {
      ...patient,
      words: ['/usr/bin/env', 'A=b'],
    });
    expect(result.stdout.toString()).toBe('b\n');
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

  test('is not held up by a daemon that has left the group and holds its output', async () => {
    const file = path.join(root, 'daemon');
    const script = `setsid sh -c 'echo $$ >"$FILE.new"; mv "$FILE.new" "$FILE"; exec sleep 1000' & exec sleep 1000`;
    const controller = new AbortController();
    const given = { ...patient, env: { ...env, FILE: file }, signal: controller.signal };
    const running = runCaptured('/bin/sh', ['-c', script], given);
    await eventually('the daemon to be there', () => existsSync(file));
    controller.abort();
    const daemon = Number(readFileSync(file, 'utf8'));
    try {
      expect(await running).toMatchObject({ ended: 'aborted', signal: 'SIGKILL' });
      // It is not of the group that was killed: whoever started it sees to it.
      expect(findProcess(daemon)).toBeDefined();
    } finally {
      process.kill(daemon, 'SIGKILL');
    }
  });

  test('by the caller', async () => {
    const controller = new AbortController();
    const result = runCaptured(program('hang-with-child'), [], { ...patient, signal: controller.signal });
    controller.abort();
    expect(await result).toMatchObject({ ended: 'aborted' });
  });

  test('by nobody once it has ended: no listener is left', async () => {
    const { signal } = new AbortController();
    await runCaptured(program('print-and-exit'), ['', '', '0'], { ...patient, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
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

  test('gives it the environment, and its output to the caller', async () => {
    const script = 'out=$(readlink /proc/$$/fd/1); echo "$out" >"$FILE"';
    const file = path.join(root, 'output');
    expect(await runAttached('/bin/sh', ['-c', script], { ...env, FILE: file })).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`${readlinkSync('/proc/self/fd/1')}\n`);
  });

  test('Ctrl-C is for it to decide on, and SIGTERM is passed on', async () => {
    const file = path.join(root, 'ready');
    const ended = runAttached(
      '/bin/sh',
      ['-c', 'trap "exit 7" TERM; : >"$FILE"; while :; do sleep 0.02; done'],
      { ...env, FILE: file },
    );
    await eventually('it runs', () => existsSync(file));
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(await ended).toBe(7);
  });

  test('leaves no listeners behind, also when the program cannot be started', async () => {
    await expect(runAttached('/no/such/program', [], env)).rejects.toThrow('ENOENT');
    expect(process.listenerCount('SIGINT')).toBe(0);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });
});

describe('for lines', () => {
  const linesOf = async (script: string, changes: Partial<Parameters<typeof runForLines>[2]> = {}) => {
    const lines: string[] = [];
    const { signal } = new AbortController();
    const onLine = (line: string): void => void lines.push(line);
    await runForLines('/bin/sh', ['-c', script], { env, signal, onLine, ...changes });
    return lines;
  };

  test('each is told once it has ended, with the environment given, behind the words for another user', async () => {
    const words = ['/usr/bin/env', 'A=b'];
    const script =
      'printf "\\303"; sleep 0.02; echo "\\251 $A $B"; read x || echo none; echo error >&2; printf rest';
    expect(await linesOf(script, { words, env: { ...env, B: 'c' } })).toEqual(['é b c', 'none']);
  });

  test('a line without an end takes no memory, and hides none of those after it', async () => {
    const long = 'head -c 3000000 /dev/zero | tr "\\0" x';
    const script = `echo one; ${long}; printf "\\nth"; printf "ree\\n"; ${long}; printf "\\nfo"`;
    const longest = 'x'.repeat(64 * 1024);
    expect(await linesOf(script)).toEqual(['one', longest, 'three', longest]);
  });

  test('until the caller gives up, and no listener is left', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const seen = await linesOf('echo $$; exec sleep 1000', { signal, onLine: () => controller.abort() });
    expect([seen, getEventListeners(signal, 'abort')]).toEqual([[], []]);
    const other = new AbortController();
    await linesOf('exit', { signal: other.signal });
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
    await linesOf('exec sleep 1000', { signal: AbortSignal.abort() });
  });

  test.each(['/no/such/program', 'a\0b'])('%j, which cannot be started, is over at once', async (file) => {
    const { signal } = new AbortController();
    await runForLines(file, [], { env, signal, onLine: () => undefined });
  });
});

/** Commands run right here in place of a node: what matters is what becomes of their processes. */
import { describe, expect, test } from '@jest/globals';
import { collectExec, startExec, type ExecRequest } from '../../../../src/labs/nodes/exec.ts';
import { eventually } from '../../../support/eventually.ts';
import { sessionHere } from '../../../support/session-here.ts';

function session(way: readonly string[] = []) {
  const { session: here, ...rest } = sessionHere({ node: 'h1', way });
  const start = async (command: readonly string[], request: Partial<ExecRequest> = {}) =>
    startExec(here, { command, timeoutMs: 20_000, stdin: '', ...request });
  const run = async (command: readonly string[], request: Partial<ExecRequest> = {}) =>
    collectExec(await start(command, request), 1024);
  return { ...rest, start, run };
}

/** Ends what was meant to stay. It may start another one, or end by itself, in that moment. */
async function endAll(processes: () => number[]): Promise<void> {
  await eventually('they are gone', () => {
    for (const pid of processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    return processes().length === 0;
  });
}

describe('a command', () => {
  test('gets its words as they are, and no shell reads them', async () => {
    const words = ['a b', '$HOME', '`id`', "it's", '"', '*', '', '-n', 'é\n'];
    const { output, exitCode } = await session().run(['printf', '<%s>', ...words]);
    expect({ output, exitCode }).toEqual({ output: words.map((word) => `<${word}>`).join(''), exitCode: 0 });
  });

  test('is a program, not what a shell knows under that name', async () => {
    expect((await session().run(['exit', '3'])).exitCode).toBe(127);
  });

  test('reads all of its standard input and then its end', async () => {
    const stdin = `${'line\n'.repeat(100)}\n\nend without a line break`;
    expect((await session().run(['tail', '-c', '30'], { stdin })).output).toBe(stdin.slice(-30));
    expect((await session().run(['wc', '-c'], { stdin: 'ü'.repeat(200_000) })).output.trim()).toBe('400000');
    expect((await session().run(['cat'])).output).toBe('');
  });

  test('that does not read its standard input ends all the same', async () => {
    expect(await session().run(['true'], { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ exitCode: 0 });
  });

  test('has standard error among its output, in order', async () => {
    const script = 'echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 7';
    expect(await session().run(['sh', '-c', script])).toMatchObject({
      output: '1\n2\n3\n4\n',
      exitCode: 7,
      signal: null,
      reason: 'exited',
      truncated: false,
    });
  });

  test('that a signal ends has its exit code from the shell', async () => {
    expect(await session().run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ exitCode: 143, signal: null });
  });

  test('can be interrupted: nobody has it ignore signals', async () => {
    expect(await session().run(['sh', '-c', 'kill -INT $$; echo survived'])).toMatchObject({ exitCode: 130 });
  });

  test('that prints more than is kept goes to its end', async () => {
    const result = await session().run(['sh', '-c', 'head -c 50000000 /dev/zero | tr "\\0" x; exit 3']);
    expect(result).toMatchObject({ output: 'x'.repeat(1024), truncated: true, exitCode: 3 });
  });

  test('leaves a character out that the bound has cut', async () => {
    const { output } = await session().run(['printf', `x${'ü'.repeat(1000)}`]);
    expect(output).toBe(`x${'ü'.repeat(511)}`);
  });
});

describe('nothing is left', () => {
  test('of a command that is over its time, whatever it ignores', async () => {
    const { run, processes, placesGivenBack } = session();
    const script = 'trap "" TERM HUP INT; sleep 1000 & sleep 1000';
    expect(await run(['sh', '-c', script], { timeoutMs: 200 })).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      reason: 'timeout',
    });
    await eventually('they are gone', () => processes().length === 0);
    expect(placesGivenBack()).toBe(1);
  });

  test('when nobody wants it any more, even of one that waits for a reader', async () => {
    const { start, abort, processes, placesGivenBack } = session();
    const { ended } = await start(['sh', '-c', 'yes & yes']);
    abort.abort();
    expect(await ended).toMatchObject({ exitCode: null, reason: 'canceled' });
    await eventually('they are gone', () => processes().length === 0);
    expect(placesGivenBack()).toBe(1);
  });

  test('when it was canceled before it began', async () => {
    const { run, abort, processes } = session();
    abort.abort();
    await run(['sleep', '1000']).catch(() => undefined);
    await eventually('they are gone', () => processes().length === 0);
  });
});

test('what it left in the background, and prints on, does not keep its end waiting for longer than it may run', async () => {
  const { run, processes, placesGivenBack } = session();
  const script = 'setsid sh -c "while :; do echo on; sleep 0.1; done" & exit 3';
  expect(await run(['sh', '-c', script], { timeoutMs: 2_000 })).toMatchObject({
    exitCode: 3,
    reason: 'exited',
  });
  expect(placesGivenBack()).toBe(1);
  await endAll(processes);
});

describe('a node that is not reached', () => {
  test.each([
    ['Error response from daemon: Container 1f is not running', 'lab-not-up'],
    ['Error: No such container: clab-demo-r1', 'lab-not-up'],
    ['Fatal error in lab exec: the node h1 is missing: its namespace lab-1-h1 is gone', 'lab-not-up'],
    ['Cannot open network namespace "lab-1-r1": No such file or directory', 'lab-not-up'],
    ['Unknown lab instance default', 'lab-not-up'],
    ['permission denied while trying to connect to the Docker daemon socket', 'lab-cli-failed'],
  ])('because of "%s" is %s', async (words, code) => {
    const way = ['sh', '-c', `echo '${words}' >&2; exit 1`];
    const { run, placesGivenBack } = session(way);
    await expect(run(['true'])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as never,
    });
    expect(placesGivenBack()).toBe(1);
  });

  test('is reported with the last ten lines, without colours and empty lines', async () => {
    const way = ['sh', '-c', 'seq 12 >&2; printf "\\n \\r\\n\\033[31mdenied\\033[0m\\n" >&2; exit 1'];
    await expect(session(way).run(['true'])).rejects.toMatchObject({
      message: 'h1 was not reached: denied',
      extra: { output: ['4', '5', '6', '7', '8', '9', '10', '11', '12', 'denied'] },
    });
    await expect(session(['false']).run(['true'])).rejects.toMatchObject({
      message: 'h1 was not reached: nothing was said of it',
    });
  });

  test('because its program is not there', async () => {
    const failure = { code: 'lab-cli-failed', message: expect.stringContaining('ENOENT') as never };
    await expect(session(['/nonexistent/docker']).run(['true'])).rejects.toMatchObject(failure);
  });

  test('in time is lab-cli-timeout', async () => {
    const { run } = session(['sh', '-c', 'exec sleep 1000']);
    await expect(run(['true'], { timeoutMs: 100 })).rejects.toMatchObject({ code: 'lab-cli-timeout' });
  });
});

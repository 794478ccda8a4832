/** Programs in the place of ip(8) and tc(8), run right here in place of a node: what is asked of them, and what they answer. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getImpairment, putImpairment, removeImpairment } from '../../../../src/labs/nodes/impairment.ts';
import { checkInterface } from '../../../../src/labs/nodes/interfaces.ts';
import type { NodeSession } from '../../../../src/labs/nodes/node-session.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { holdTime } from '../../../support/session-here.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;
let session: NodeSession;

/** Has the program note its arguments, and then do this. */
function program(name: string, script: string): void {
  const text = `#!/bin/sh\necho "${name} $*" >>'${directory}/asked'\n${script}\n`;
  writeFileSync(path.join(directory, name), text, { mode: 0o700 });
}

const answer = (value: unknown): string => `cat <<'END'\n${JSON.stringify(value)}\nEND`;
const asked = (): string[] =>
  readFileSync(path.join(directory, 'asked'), { encoding: 'utf8', flag: 'a+' }).trim().split('\n');

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  session = {
    way: [],
    node: 'the node r1',
    env,
    signal: new AbortController().signal,
    leave: () => undefined,
  };
  program('ip', answer([{ ifname: 'lo' }, { ifname: 'eth1' }]));
});

afterEach(() => void jest.useRealTimers());

describe('an interface', () => {
  test('that the node has is asked for once', async () => {
    await checkInterface(session, 'eth1');
    expect(asked()).toEqual(['ip -j link show']);
  });

  test('that it has not is told of with those it has', async () => {
    expect(await failureOf(checkInterface(session, 'eth2'))).toMatchObject({
      code: 'interface-not-found',
      message: 'the node r1 has no interface "eth2"; it has lo, eth1',
    });
  });

  test('of many, twenty are listed', async () => {
    program('ip', answer(Array.from({ length: 21 }, (_, index) => ({ ifname: `e${index}` }))));
    const { message } = await failureOf(checkInterface(session, 'eth1'));
    expect(message.endsWith(', e19, …')).toBe(true);
  });

  test('cannot be read in a node that is not reached, nor by a program that hangs', async () => {
    const way = ['sh', '-c', 'echo "No such container: r1" >&2; exit 1'];
    expect(await failureOf(checkInterface({ ...session, way }, 'eth1'))).toMatchObject({
      code: 'lab-not-up',
    });
    holdTime();
    await checkInterface(session, 'eth1');
    expect(jest.getTimerCount()).toBe(0);
    program('ip', 'exec sleep 1001');
    const failed = failureOf(checkInterface(session, 'eth1'));
    await eventually('it runs', () => asked().length === 2);
    jest.advanceTimersByTime(15_000);
    expect(await failed).toMatchObject({
      code: 'lab-cli-timeout',
      message: 'the node r1 did not answer in time',
    });
  });

  test('cannot be told where the program fails, or is not there', async () => {
    program('ip', 'echo "Operation not permitted" >&2; exit 1');
    expect(await failureOf(checkInterface(session, 'eth1'))).toMatchObject({
      code: 'lab-cli-failed',
      message: 'the interfaces of the node r1 could not be read: Operation not permitted',
    });
    program('ip', 'echo "sh: 1: ip: not found" >&2; exit 127');
    expect(await failureOf(checkInterface(session, 'eth1'))).toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('"ip"'),
    });
  });
});

describe('an impairment', () => {
  const none = {
    delayMs: 0,
    jitterMs: 0,
    lossPercent: 0,
    duplicatePercent: 0,
    corruptPercent: 0,
    rateKbps: 0,
  };
  const netem = (options?: unknown) => ({ kind: 'netem', root: true, options });
  /** As `tc -json qdisc show` of iproute2 6.1 says it. */
  const all = netem({
    delay: { delay: 0.1, jitter: 0.0105, correlation: 0 },
    'loss-random': { loss: 0.0123400001, correlation: 0 },
    duplicate: { duplicate: 0.02, correlation: 0 },
    corrupt: { corrupt: 0.03, correlation: 0 },
    rate: { rate: 125_000, packetoverhead: 0 },
  });

  test('is read in the units of people', async () => {
    program('tc', answer([{ kind: 'noqueue' }, all]));
    expect(await getImpairment(session, 'eth1')).toEqual({
      delayMs: 100,
      jitterMs: 10.5,
      lossPercent: 1.234,
      duplicatePercent: 2,
      corruptPercent: 3,
      rateKbps: 1000,
    });
    expect(asked()).toEqual(['tc -json qdisc show dev eth1']);
  });

  test.each([
    ['nothing is said', ''],
    ['there is another queue', answer([{ kind: 'fq', root: true, options: {} }])],
    ['it is not at the root', answer([{ ...all, root: false }])],
  ])('is none where %s', async (_what, script) => {
    program('tc', script);
    expect(await getImpairment(session, 'eth1')).toBeUndefined();
  });

  test.each([
    ['no options', netem()],
    ['options that are none', netem([])],
    ['words for numbers', netem({ delay: 7, rate: { rate: 'fast' } })],
  ])('is one of nothing with %s', async (_what, qdisc) => {
    program('tc', answer([qdisc]));
    expect(await getImpairment(session, 'eth1')).toEqual(none);
  });

  test.each([
    [{ delayMs: 100 }, 'delay 100ms'],
    [{ jitterMs: 5 }, 'delay 0ms 5ms'],
    [{ delayMs: 100, jitterMs: 5 }, 'delay 100ms 5ms'],
    [{ lossPercent: 1.5 }, 'loss 1.5%'],
    [{ duplicatePercent: 2 }, 'duplicate 2%'],
    [{ corruptPercent: 3 }, 'corrupt 3%'],
    [{ rateKbps: 64 }, 'rate 64kbit'],
    [{}, ''],
  ])('%j is asked for as %j', async (given, words) => {
    program('tc', '[ "$1" = qdisc ] || ' + answer([all]));
    await putImpairment(session, 'eth1', { ...none, ...given });
    expect(asked().filter((line) => line.startsWith('tc'))).toEqual([
      `tc qdisc replace dev eth1 root netem ${words}`.trim(),
      'tc -json qdisc show dev eth1',
    ]);
  });

  test('is told as the kernel has it then', async () => {
    program('tc', '[ "$1" = qdisc ] || ' + answer([netem({ delay: { delay: 0.2, jitter: 0 } })]));
    expect(await putImpairment(session, 'eth1', { ...none, delayMs: 199 })).toEqual({
      ...none,
      delayMs: 200,
    });
  });

  test('is taken away where there is one, and nothing else is', async () => {
    program('tc', '[ "$1" = qdisc ] || ' + answer([all]));
    await removeImpairment(session, 'eth1');
    expect(asked().at(-1)).toBe('tc qdisc del dev eth1 root');
    program('tc', '[ "$1" = qdisc ] || ' + answer([{ kind: 'fq', root: true }]));
    await removeImpairment(session, 'eth1');
    expect(asked().at(-1)).toBe('tc -json qdisc show dev eth1');
  });

  test.each([
    ['Error: Specified qdisc kind is unknown.', 'not-supported', 'sch_netem'],
    ['RTNETLINK answers: No such file or directory', 'not-supported', 'sch_netem'],
    ['sh: 1: tc: not found', 'not-supported', '"tc" is not on the PATH'],
    ['RTNETLINK answers: Operation not permitted', 'lab-cli-failed', 'tc failed on the node r1: RTNETLINK'],
  ])('that is refused with %j is %s', async (words, code, message) => {
    program('tc', `echo '${words}' >&2; echo more >&2; exit 2`);
    const failure = await failureOf(putImpairment(session, 'eth1', { ...none, delayMs: 1 }));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    if (code === 'lab-cli-failed') expect(failure.extra).toEqual({ output: [words, 'more'] });
  });

  test('of an interface that is not there is refused with those that are', async () => {
    program('tc', `echo 'Cannot find device "eth9"' >&2; exit 1`);
    const put = async (...[here, name]: Parameters<typeof getImpairment>) => putImpairment(here, name, none);
    for (const ask of [getImpairment, removeImpairment, put])
      expect(await failureOf(ask(session, 'eth9'))).toMatchObject({
        code: 'interface-not-found',
        message: 'the node r1 has no interface "eth9"; it has lo, eth1',
      });
    expect(asked().filter((line) => line.startsWith('ip'))).toHaveLength(3);
    program('tc', answer([]));
    for (const name of ['', 'eth\0'])
      expect(await failureOf(getImpairment(session, name))).toMatchObject({ code: 'interface-not-found' });
  });
});

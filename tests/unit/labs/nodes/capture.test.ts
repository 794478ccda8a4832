/** Programs in the place of ip(8) and tcpdump(1), run right here in place of a node. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { startCapture, type CaptureRequest } from '../../../../src/labs/nodes/capture.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { writeProgram } from '../../../support/programs.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const hour = 3_600_000;
const everything: CaptureRequest = {
  ifname: 'eth1',
  filter: '',
  packets: undefined,
  timeMs: hour,
  snaplen: 262_144,
};

/** As tcpdump: it begins, and has a last packet when it is asked to end. */
const listens = `printf head
trap 'printf end; exit 0' TERM
echo 'tcpdump: listening on eth1' >&2`;
const goesOn = 'while :; do sleep 0.05; done';

let directory: string;
let here: ReturnType<typeof sessionHere>;
const tcpdump = (script: string): string => writeProgram(path.join(directory, 'tcpdump'), script);
const at = (name: string): string => path.join(directory, name);
const start = async (request: Partial<CaptureRequest> = {}) =>
  startCapture(here.session, { ...everything, ...request });

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
  writeProgram(at('ip'), `echo '[{"ifname":"lo"},{"ifname":"eth1"}]'`);
  here = sessionHere({ env: { PATH: `${directory}:${process.env['PATH']}` } });
});
afterEach(() => void jest.useRealTimers());

describe('what is asked of tcpdump', () => {
  const common = '-i|eth1|--immediate-mode|-U|-w|-|-s|';
  test.each([
    [{}, `${common}262144|--|`],
    [{ packets: 10, snaplen: 128 }, `${common}128|-c|10|--|`],
    [{ filter: '-w /etc/passwd' }, `${common}262144|--|-w /etc/passwd|`],
  ])('for %j is %s', async (request, words) => {
    tcpdump("printf '%s|' \"$@\"; echo 'listening on eth1' >&2");
    expect(await textOf(await start(request))).toBe(words);
  });

  test('is nothing for an interface that the node has not', async () => {
    tcpdump(`touch '${at('asked')}'`);
    expect(await failureOf(start({ ifname: 'usbmon1' }))).toMatchObject({ code: 'interface-not-found' });
    expect(() => readFileSync(at('asked'))).toThrow('ENOENT');
  });
});

describe('a capture', () => {
  test('ends by itself when it has enough, and gives its place back', async () => {
    holdTime();
    tcpdump(`${listens}; printf ' packets '; sleep 0.1; printf end`);
    expect(await textOf(await start())).toBe('head packets end');
    await eventually('its place is free', () => here.placesGivenBack() === 1);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is asked to end when its time is up, so that its last packet is whole', async () => {
    tcpdump(`${listens}; ${goesOn}`);
    expect(await textOf(await start({ timeMs: 10 }))).toBe('headend');
    await eventually('it is gone', () => here.processes().length === 0);
  });

  test('has its time from its beginning on, however long that takes', async () => {
    holdTime();
    tcpdump(`touch '${at('started')}'
until [ -e '${at('gate')}' ]; do sleep 0.05; done
${listens}; ${goesOn}`);
    const starting = start({ timeMs: 20_000 });
    await eventually('it has started', () => readFileSync(at('started')));
    jest.advanceTimersByTime(14_000);
    writeFileSync(at('gate'), '');
    const capture = await starting;
    jest.advanceTimersByTime(19_999);
    expect(here.processes()).not.toEqual([]);
    jest.advanceTimersByTime(1);
    expect(await textOf(capture)).toBe('headend');
  });

  test('is ended when nobody wants it any more', async () => {
    tcpdump(`${listens}; ${goesOn}`);
    await start();
    here.abort.abort();
    await eventually('it is gone', () => here.processes().length === 0);
    await eventually('its place is free', () => here.placesGivenBack() === 1);
  });
});

describe('no capture begins', () => {
  test('in time', async () => {
    holdTime();
    tcpdump(`touch '${at('started')}'; printf head; ${goesOn}`);
    const failed = failureOf(start());
    await eventually('it has started', () => readFileSync(at('started')));
    jest.advanceTimersByTime(15_000);
    expect(await failed).toMatchObject({
      code: 'lab-cli-timeout',
      message: 'the capture on the node r1 did not begin in time',
    });
    await eventually('it is gone', () => here.processes().length === 0);
  });

  test('in a node that has gone since its interfaces were looked at', async () => {
    const script = 'mkdir "$0" 2>/dev/null && exec "$@"; echo "No such container: r1" >&2; exit 1';
    here = sessionHere({ way: ['sh', '-c', script, at('been')], env: here.session.env });
    expect(await failureOf(start())).toMatchObject({
      code: 'lab-not-up',
      message: 'the node r1 is not up: No such container: r1',
    });
    expect(here.placesGivenBack()).toBe(1);
  });

  const nobodyElse = "tcpdump: Couldn't change to 'tcpdump' uid=102 gid=106: Operation not permitted";
  const wrongFilter = "tcpdump: can't parse filter expression: syntax error";
  const forbidden = 'tcpdump: eth1: You have no permission to capture on that device';
  const failed = 'the capture on the node r1 failed: ';
  test.each([
    ['', 'sh: 1: tcpdump: not found', 'not-supported', '"tcpdump" is not on the PATH'],
    // It gives up the rights of root.
    ['tcp', nobodyElse, 'not-supported', `(${nobodyElse})`],
    ['tcp or', wrongFilter, 'invalid-request', "filter: can't parse filter expression: syntax error"],
    [
      'port 99999999999',
      'tcpdump: number 99999999999 overflows 32 bits',
      'invalid-request',
      'filter: number 99999999999 overflows 32 bits',
    ],
    [
      'vlan 99999',
      'tcpdump: VLAN tag 99999 greater than maximum 4095',
      'invalid-request',
      'filter: VLAN tag',
    ],
    ['port 70000', 'tcpdump: illegal port number 70000 > 65535', 'invalid-request', 'filter: illegal port'],
    ['host r7', "tcpdump: unknown host 'r7'", 'invalid-request', "filter: unknown host 'r7'"],
    // Without a filter, it is none of the client's mistakes.
    ['', wrongFilter, 'lab-cli-failed', `${failed}${wrongFilter}`],
    ['tcp', forbidden, 'lab-cli-failed', `${failed}${forbidden}`],
  ])('with the filter %j, where tcpdump says %j: %s', async (filter, words, code, message) => {
    tcpdump(`printf head; echo first >&2; echo "${words}" >&2; exit 1`);
    const failure = await failureOf(start({ filter }));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    if (code === 'lab-cli-failed') expect(failure.extra).toEqual({ output: [words] });
  });

  test('that ends before it listens, without a word', async () => {
    tcpdump('exit 1');
    expect(await failureOf(start())).toMatchObject({ code: 'lab-cli-failed', message: failed });
  });
});

test('a capture of 1 GiB is asked to end, and one of less is not', async () => {
  tcpdump(`${listens}; head -c 999999996 /dev/zero
until [ -e '${at('gate')}' ]; do sleep 0.05; done
head -c 100000000 /dev/zero; ${goesOn}`);
  let size = 0;
  let end: Buffer = Buffer.alloc(0);
  for await (const piece of await start()) {
    size += piece.length;
    end = piece.length < 3 ? Buffer.concat([end, piece]) : piece;
    if (size === 1_000_000_000) writeFileSync(at('gate'), '');
  }
  expect(end.subarray(-3).toString()).toBe('end');
  expect(size).toBeGreaterThan(1024 ** 3);
});

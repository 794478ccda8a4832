/** Command lines, impairments, neighbours and ends of terminals, without a browser. */
import { describe, expect, test } from '@jest/globals';
import type { LabTopology } from '../../../src/client/api-types.ts';
import {
  impairmentText,
  neighboursOf,
} from '../../../web/dashboard/src/pages/lab/node/overview/interface-facts.ts';
import { wantsShell, wordsOf } from '../../../web/dashboard/src/pages/lab/node/run/words.ts';
import { programEndOf, whyEnded } from '../../../web/dashboard/src/pages/lab/node/terminal/why-ended.ts';

describe('a command line', () => {
  test.each([
    ['ip route', ['ip', 'route']],
    ['  ping   -c 1\th2 ', ['ping', '-c', '1', 'h2']],
    [`vtysh -c 'show ip route'`, ['vtysh', '-c', 'show ip route']],
    [`echo "a \\"b\\" \\n $x"`, ['echo', 'a "b" \\n $x']],
    [`echo 'a\\b' a\\ b`, ['echo', 'a\\b', 'a b']],
    [`a"b c"'d e'f`, ['ab cd ef']],
    [`echo "" ''`, ['echo', '', '']],
    ['echo ä → 漢', ['echo', 'ä', '→', '漢']],
  ])('%s', (line, words) => {
    expect(wordsOf(line)).toEqual({ words });
  });

  test.each([
    ['', 'There is no command.'],
    ['   ', 'There is no command.'],
    [`echo 'a`, "The quote ' is not closed."],
    [`echo "a\\"`, 'The quote " is not closed.'],
    ['echo \\', 'A backslash at the end escapes nothing.'],
  ])('%s is refused', (line, problem) => {
    expect(wordsOf(line)).toEqual({ problem });
  });

  test('with shell syntax is recognized', () => {
    for (const line of ['a | b', 'a && b', 'echo $HOME', 'a > b', 'a; b'])
      expect(wantsShell(line)).toBe(true);
    for (const line of ['ip route', 'grep -c a.b', `echo 'unclosed`, 'a|b'])
      expect(wantsShell(line)).toBe(false);
  });
});

describe('the end of a terminal', () => {
  test('is read from the last message of the service', () => {
    expect(programEndOf('{"type":"exit","exitCode":3,"signal":null}')).toEqual({ exitCode: 3, signal: null });
    expect(programEndOf('{"type":"else"}')).toBeUndefined();
    expect(programEndOf('no JSON')).toBeUndefined();
    expect(programEndOf('null')).toBeUndefined();
  });

  test.each([
    [1000, '', { exitCode: 3, signal: null }, 'The program at the terminal has ended with exit code 3.'],
    [1000, '', { exitCode: null, signal: 9 }, 'The program at the terminal was ended by signal 9.'],
    [1001, 'the service stops', undefined, 'The service stopped, and its terminals ended.'],
    [1006, '', undefined, 'The connection was lost, and the terminal has ended.'],
    [1009, '', undefined, 'The service has closed the terminal: code 1009.'],
    [
      1008,
      'a text message must be so',
      undefined,
      'The service has closed the terminal: a text message must be so.',
    ],
    [4000, '', undefined, 'The service has closed the terminal because it was idle.'],
    [4001, '', undefined, 'Your login has ended.'],
  ])('%i %s %j: %s', (code, reason, end, sentence) => {
    expect(whyEnded(code, reason, end)).toBe(sentence);
  });
});

test('an impairment in a few words', () => {
  const none = {
    isImpaired: false,
    delayMs: 0,
    jitterMs: 0,
    lossPercent: 0,
    duplicatePercent: 0,
    corruptPercent: 0,
    rateKbps: 0,
  };
  expect(impairmentText(none)).toBe('none');
  expect(impairmentText({ ...none, isImpaired: true })).toBe('impaired');
  expect(
    impairmentText({ ...none, isImpaired: true, delayMs: 50, jitterMs: 5, lossPercent: 0.5, rateKbps: 1000 }),
  ).toBe('50 ms ± 5 ms, 0.5 % lost, 1000 kbit/s');
});

test('neighbours: the other ends of a link, also of one from a node to itself, and none on a stub', () => {
  const end = (node: string, name: string) => ({ node, interface: name, ipv4: null, ipv6: null });
  const prefix = { ipv4: null, ipv6: null };
  const topology: LabTopology = {
    nodes: [],
    links: [
      { id: '1', type: 'lan', prefix, endpoints: [end('r1', 'eth1'), end('h1', 'eth1'), end('h2', 'eth1')] },
      { id: '2', type: 'p2p', prefix, endpoints: [end('r1', 'eth2'), end('r1', 'eth3')] },
      { id: '3', type: 'stub', prefix, endpoints: [end('r1', 'eth4')] },
    ],
  };
  const names = (name: string, link: string | null) =>
    neighboursOf(topology, 'r1', { name, link, ipv4: null, ipv6: null }).map(
      (other) => `${other.node} ${other.interface}`,
    );
  expect(names('eth1', '1')).toEqual(['h1 eth1', 'h2 eth1']);
  expect(names('eth2', '2')).toEqual(['r1 eth3']);
  expect(names('eth4', '3')).toEqual([]);
  expect(names('lo', null)).toEqual([]);
});

import { describe, expect, test } from '@jest/globals';
import type { Lab } from '../../../../src/engine/core/lab.ts';
import { parsePluginCall } from '../../../../src/engine/topology/plugin-call.ts';
import { meetsCondition } from '../../../../src/engine/validation/output-condition.ts';
import { judgePing, pingCommand, pingOf } from '../../../../src/engine/validation/ping.ts';
import { handMadeLab } from '../../../support/engine-lab.ts';

const made: Lab = handMadeLab({ links: [['h1', 'h2']], ipv6: true });
const [h1] = made.nodes;

function command(text: string): string {
  const call = parsePluginCall(text);
  if (call === undefined) throw new Error('no call');
  return pingCommand(pingOf(call, made, h1!)).join(' ');
}

describe('a call of ping', () => {
  test.each([
    ["ping('h2')", 'ping -c 5 -W 1 -A h2'],
    ['ping( "10.0.0.1/24" , count = 2 )', 'ping -c 2 -W 1 -A 10.0.0.1'],
    ["ping('h2',af='ipv6',pkt_len=148)", 'ping -c 5 -W 1 -A -6 -s 100 h2'],
    ["ping(host='h2', src=None, af='ipv4', pkt_len=128)", 'ping -c 5 -W 1 -A -4 -s 100 h2'],
    [
      'ping(nodes.h2.interfaces[0].ipv4, node.interfaces[0].ipv4)',
      `ping -c 5 -W 1 -A -I ${made.nodes[0]!.interfaces[0]!.ipv4!.split('/')[0]} ${made.nodes[1]!.interfaces[0]!.ipv4!.split('/')[0]}`,
    ],
  ])('%s', (text, expected) => expect(command(text)).toBe(expected));

  test.each([
    ["ping('-f')", 'must be a node or an address'],
    ["ping('h2; reboot')", 'must be a node or an address'],
    ["ping('h2', 'h1', 'ipv4', 0)", 'count of ping must be a number'],
    ["ping('h2', af='ipx')", 'af of ping'],
    ["ping('h2', ttl=3)", 'no argument "ttl"'],
    ["ping('h2', pkt_len=20)", 'from 64'],
    ['ping(nodes.h9.interfaces[0].ipv4)', 'has no text at nodes.h9'],
    ['ping(nodes.constructor.name)', 'has no text at'],
    ['ping()', 'the host of ping'],
  ])('%s is wrong', (text, why) => expect(() => command(text)).toThrow(why));
});

describe('what ping printed', () => {
  const answered = 'PING h2 (10.0.0.2) 56(84) bytes of data.\n64 bytes from h2: icmp_seq=1\n1 received';
  const silent =
    'PING h2 (10.0.0.2) 56(84) bytes of data.\n5 packets transmitted, 0 received, 100% packet loss';
  const judge = (text: string, printed: string) =>
    judgePing(pingOf(parsePluginCall(text)!, made, h1!), printed);

  test.each([
    ["ping('h2')", answered, true, 'Ping to h2 (10.0.0.2) succeeded'],
    ["ping('h2')", silent, false, 'Ping to h2 (10.0.0.2) failed'],
    ["ping('h2', expect='fail')", silent, true, 'Ping to h2 (10.0.0.2) failed as expected'],
    ["ping('h2', expect='fail')", answered, false, 'Ping to h2 (10.0.0.2) did not fail'],
    // It never tried: nothing is known of the host.
    ["ping('h2', expect='fail')", '', false, 'Ping to h2 could not be sent'],
  ])('%s', (text, printed, isPassed, message) => expect(judge(text, printed)).toEqual({ isPassed, message }));
});

test.each([
  ["'a' in stdout", true],
  ["'z' in stdout", false],
  ['"z" not in stdout and not ("q" in stdout or "y" in stdout)', true],
  ["'z' in stdout or 'a' in stdout and 'b' in stdout", true],
  ["__import__('os').system('reboot')", undefined],
  ["'a' in stdout 'b'", undefined],
  ['len(stdout) > 0', undefined],
  ["('a' in stdout", undefined],
])('%s of "a b" is %s', (condition, expected) => expect(meetsCondition(condition, 'a b')).toBe(expected));

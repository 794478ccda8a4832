import { expect, test } from '@jest/globals';
import { LineCounter } from 'yaml';
import { parsePrefix } from '../../../../src/engine/core/ip.ts';
import { warnAboutOverlaps } from '../../../../src/engine/addressing/warn-about-overlaps.ts';
import { Findings } from '../../../../src/engine/topology/findings.ts';

/** `a in b` for each warning about these networks. The number of a network is its name and its place. */
function overlaps(...networks: string[]): string[] {
  const findings = new Findings(new LineCounter());
  const used = networks.map((text, index) => ({
    network: parsePrefix(text)!,
    what: `links[${index + 1}]`,
    origin: `option ${index + 1}`,
  }));
  warnAboutOverlaps(used, findings);
  expect(findings.hasErrors).toBe(false);
  return findings.warnings.map(({ message }) =>
    message.replace(/^option \d: (\S+) of links\[(\d)\] is in (\S+) of links\[(\d)\]: .*$/, '$1 $2 in $3 $4'),
  );
}

test.each([
  ['networks beside each other', ['10.0.0.0/24', '10.0.1.0/24'], []],
  ['a wide one behind a narrow one', ['10.0.5.0/24', '10.0.0.0/16'], ['10.0.5.0/24 1 in 10.0.0.0/16 2']],
  [
    'the widest is named, for all in it and nothing behind it',
    ['10.0.0.0/16', '10.0.1.0/24', '10.0.1.128/25', '10.1.0.0/24', '10.1.0.0/30'],
    ['10.0.1.0/24 2 in 10.0.0.0/16 1', '10.0.1.128/25 3 in 10.0.0.0/16 1', '10.1.0.0/30 5 in 10.1.0.0/24 4'],
  ],
  [
    'a network twice: the later is in the earlier',
    ['10.0.0.0/24', '10.0.0.0/24'],
    ['10.0.0.0/24 2 in 10.0.0.0/24 1'],
  ],
  [
    'the families apart',
    ['0.0.0.0/0', '2001:db8::/64', '2001:db8::/48'],
    ['2001:db8::/64 2 in 2001:db8::/48 3'],
  ],
])('%s', (_what, networks, expected) => expect(overlaps(...networks)).toEqual(expected));

import { describe, expect, test } from '@jest/globals';
import { checkKeys, type AttributeKind } from '../../../../src/engine/topology/attributes.ts';
import { readingOf, textsOf } from '../../../support/topologies.ts';

/** The errors and warnings about the keys of a map. */
function check(kind: AttributeKind, text: string): string[] {
  const reading = readingOf(text);
  checkKeys(kind, reading.source.root, reading);
  const { errors, warnings } = reading.findings;
  return [...textsOf(errors), ...textsOf(warnings).map((warning) => `warning ${warning}`)];
}

const foreign = (key: string) =>
  `"${key}" is an attribute of netlab that the bundled engine does not support; install netlab to use it`;

describe('keys of a map', () => {
  test.each<[AttributeKind, string, string[]]>([
    ['node', '{id: 1, mtu: 2}', []],
    ['node', '{_x: 1, netlab_x: 1, ansible_x: 1}', []],
    [
      'link',
      '{netlab_x: 1, ansible_x: 1}',
      ['1:2 unknown link attribute "netlab_x"', '1:15 unknown link attribute "ansible_x"'],
    ],
    ['topology', '{_include: x}', [`1:2 ${foreign('_include')}`]],
    ['node', '{id: 1, ospf: 2}', [`1:9 ${foreign('ospf')}`]],
    ['interface', '{prefix: 1, ipv4: 2}', [`1:2 ${foreign('prefix')}`]],
    [
      'node',
      '{box: 1, rol: 2}',
      [
        '1:10 unknown node attribute "rol"; did you mean "role"?',
        'warning 1:2 node attribute "box" has no effect in the bundled engine',
      ],
    ],
    ['group', '{vars: 1}', ['warning 1:2 group attribute "vars" has no effect in the bundled engine']],
    [
      'pool',
      '{start: 1, pool: x}',
      [
        '1:12 unknown pool attribute "pool"',
        'warning 1:2 pool attribute "start" has no effect in the bundled engine',
      ],
    ],
  ])('%s %s', (kind, text, expected) => expect(check(kind, text)).toEqual(expected));
});

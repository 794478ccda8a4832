import { describe, expect, test } from '@jest/globals';
import { parsePluginCall } from '../../../../src/engine/topology/plugin-call.ts';

/** A call in a form that is easy to compare: named arguments as a list, in their order. */
function parsed(text: string): unknown {
  const call = parsePluginCall(text);
  return call && [call.name, call.positional, [...call.named]];
}

const text = (value: string) => ({ kind: 'text', text: value });
const path = (...parts: (string | number)[]) => ({ kind: 'path', path: parts });

describe('a call has', () => {
  test.each([
    ['ping()', ['ping', [], []]],
    ['  ping ( ) ', ['ping', [], []]],
    ['_a9()', ['_a9', [], []]],
    [`f('a b', "c'd", '', "")`, ['f', [text('a b'), text("c'd"), text(''), text('')], []]],
    ['f(0, 42)', ['f', [0, 42].map((number) => ({ kind: 'number', number })), []]],
    ['f(None, none)', ['f', [{ kind: 'none' }, path('none')], []]],
    [
      "f(x, a='b', c=1)",
      [
        'f',
        [path('x')],
        [
          ['a', text('b')],
          ['c', { kind: 'number', number: 1 }],
        ],
      ],
    ],
    ["f('a',)", ['f', [text('a')], []]],
    ["f(nodes.h1.interfaces[0]['ipv4'].x)", ['f', [path('nodes', 'h1', 'interfaces', 0, 'ipv4', 'x')], []]],
    ["f(a=nodes['h1'])", ['f', [], [['a', path('nodes', 'h1')]]]],
    ["f( a = 'b' , c [ 1 ] . d )", undefined],
    ['f( c [ 1 ] . d , a = None )', ['f', [path('c', 1, 'd')], [['a', { kind: 'none' }]]]],
  ])('%s', (given, expected) => expect(parsed(given)).toEqual(expected));
});

test.each([
  '',
  'ping(',
  "'ping'()",
  "ping.x('a')",
  "ping('a'",
  "ping('a') 'b'",
  "ping('a' 'b')",
  "ping('a'.'b')",
  'ping(,)',
  "ping('a',,'b')",
  "ping(a='x', 'y')",
  'ping(a=)',
  "ping('a'='b')",
  "ping(a.b='c')",
  'ping(a.1)',
  "ping(a.'b')",
  'ping(a[b])',
  'ping(a[0].)',
  "ping('a' + 'b')",
  'ping(-1)',
  "ping('a\\'b')",
  'ping("a\\"b")',
  "ping('a",
  'ping(a) # comment',
])('%j is none', (given) => expect(parsePluginCall(given)).toBeUndefined());

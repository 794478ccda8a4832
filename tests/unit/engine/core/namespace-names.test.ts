import { expect, test } from '@jest/globals';
import {
  isInstance,
  isNodeName,
  namespacePrefix,
  nodeNamespace,
  switchNamespace,
} from '../../../../src/engine/core/namespace-names.ts';

test.each(['default', '7', 'a_1', 'x'.repeat(32)])('%s can be an instance', (text) =>
  expect(isInstance(text)).toBe(true),
);

test.each(['', 'x'.repeat(33), 'a-b', 'a.b', ' a', 'a ', '-a', 'a\n', '../a'])('%j can be none', (text) =>
  expect(isInstance(text)).toBe(false),
);

test.each(['r1', '_r', 'R-1', 'x', 'x'.repeat(32)])('a node can be called %s', (text) =>
  expect(isNodeName(text)).toBe(true),
);

test.each(['', 'x'.repeat(33), '1r', '-r', 'r.1', ' r', 'r ', 'r;', 'r\n'])(
  'a node cannot be called %j',
  (text) => expect(isNodeName(text)).toBe(false),
);

test('namespaces are called after the instance and the node', () => {
  expect(namespacePrefix('7')).toBe('lab-7-');
  expect(nodeNamespace('7', 'r1')).toBe('lab-7-r1');
  expect(switchNamespace('7')).toBe('lab-7-.switch');
});

test('what is no name never gets into a command', () => {
  expect(() => namespacePrefix('7;reboot')).toThrow('"7;reboot"');
  expect(() => switchNamespace('../7')).toThrow('"../7"');
  expect(() => nodeNamespace('7', '.switch')).toThrow('".switch"');
});

import { expect, test } from '@jest/globals';
import { formatRows } from '../../../../src/engine/runtime/docker-format.ts';

const row = {
  Names: 'clab-demo-r1',
  State: { Status: 'running', Pid: 7 },
  Labels: { 'clab-node-name': 'r1' },
};

test.each([
  ['json', `${JSON.stringify(row)}\n`],
  ['{{.Names}}', 'clab-demo-r1\n'],
  ['{{ .Names }}\t{{.State.Status}}\t{{.State.Pid}}', 'clab-demo-r1\trunning\t7\n'],
  ['{{.Label "clab-node-name"}}|{{.Label "none"}}', 'r1|\n'],
])('the format %j', (format, text) => {
  expect(formatRows([row], format)).toBe(text);
});

test.each(['{{.Nothing}}', '{{.State}}', '{{range .Names}}', '{{.State.Pid.x}}'])(
  'the format %j is refused',
  (format) => {
    expect(() => formatRows([row], format)).toThrow(/^this docker has no /);
  },
);

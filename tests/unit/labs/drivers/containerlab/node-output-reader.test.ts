import { describe, expect, test } from '@jest/globals';
import { nodeOutputReader } from '../../../../../src/labs/drivers/containerlab/node-output-reader.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';

const command = ['containerlab', 'exec', '--name', 'ct-demo', '--label', 'containerlab=ct-demo'];

function read(log: string, exitCode: number | null = 0, more: readonly string[] = []) {
  const reader = nodeOutputReader({ command: [...command, ...more] });
  for (const line of log.replace(/\n$/, '').split('\n')) reader.line(line);
  return reader.end({ exitCode });
}

const output = (node: string, text: string, exitCode: number | null = 0) => ({
  node,
  output: text,
  truncated: false,
  exitCode,
});
const outputs = (...nodes: readonly ReturnType<typeof output>[]) => ({
  kind: 'outputs',
  complete: true,
  nodes,
});

describe('what containerlab 0.79 printed', () => {
  const notRunning = (id: string): string => `Error response from daemon: Container ${id} is not running`;

  test.each([
    ['stderr', outputs(output('h1', 'out\nerr\n'))],
    ['failed', outputs(output('h1', 'out\nerr\n', 3))],
    [
      'no-command',
      outputs(
        output(
          'h1',
          'OCI runtime exec failed: exec failed: unable to start container process: ' +
            'exec: "nosuch": executable file not found in $PATH: unknown\r\n',
          126,
        ),
      ),
    ],
    ['all', outputs(output('h1', 'h1\n'), output('h2', 'h2\n'), output('r1', 'r1\n'), output('r2', 'r2\n'))],
    // The topology has an empty prefix for the names of its containers.
    ['no-prefix', outputs(output('ct-a', 'ct-a\n'), output('ct-b', 'ct-b\n'))],
    [
      'json',
      outputs(
        output('h1', '{\n  "a": [\n    1,\n    {\n      "stdout": "x"\n    }\n  ],\n  "return-code": 9\n}\n'),
      ),
    ],
  ])('exec/%s.log', (name, result) => {
    expect(read(recorded(`exec/${name}.log`))).toEqual({ result, warnings: [] });
  });

  test('a node that does not run has no exit code: containerlab ends with 0, and leaves it out', () => {
    const log = recorded('exec/stopped.log');
    const [, id = ''] = /Container (\w+) is not running/.exec(log) ?? [];
    expect(read(log).result).toEqual(
      outputs(
        output('h2', notRunning(id), null),
        output('h1', 'h1\n'),
        output('r1', 'r1\n'),
        output('r2', 'r2\n'),
      ),
    );
    expect(read(recorded('exec/stopped-one.log')).result).toMatchObject({
      nodes: [
        { node: 'h2', exitCode: null, output: expect.stringMatching(/^Error response .* is not running$/) },
      ],
    });
  });

  test('a node that is not there has what containerlab said of it; of all nodes, there is none', () => {
    const log = recorded('exec/no-node.log');
    expect(read(log, 1, ['--label', 'clab-node-name=x9'])).toEqual({
      result: outputs(output('x9', 'Filter did not match any containers.', null)),
      warnings: [],
    });
    expect(read(log, 1)).toEqual({ result: null, warnings: [] });
  });
});

/** What is printed of one node whose standard output is this JSON. */
const of = (stdout: string, code = '0', stderr = '""'): string =>
  [
    '{',
    '  "clab-ct-demo-h1": [',
    '    {',
    '      "cmd": [',
    '        "return-code"',
    '      ],',
    `      "return-code": ${code},`,
    `      "stdout": ${stdout},`,
    `      "stderr": ${stderr}`,
    '    }',
    '  ]',
    '}',
    '',
  ].join('\n');

describe('the output', () => {
  test.each([
    ['""', ''],
    ['"a\\tb\\\\ \\"q\\" é 😀\\u003c\\r\\nline2"', 'a\tb\\ "q" é 😀<\r\nline2'],
    ['"},\\n      \\"return-code\\": 9,"', '},\n      "return-code": 9,'],
    ['5', '5\n'],
    ['-1.5', '-1.5\n'],
    ['{}', '{}\n'],
    [
      '[\n        1,\n        {\n          "stderr": "x"\n        }\n      ]',
      '[\n  1,\n  {\n    "stderr": "x"\n  }\n]\n',
    ],
  ])('%s', (stdout, text) => {
    expect(read(of(stdout)).result).toEqual(outputs(output('h1', text)));
  });

  test('of standard error stands behind that of standard output', () => {
    expect(read(of('7', '2', '"no\\n"')).result).toEqual(outputs(output('h1', '7\nno\n', 2)));
  });

  test('in a line that was cut is shown as far as it goes', () => {
    const whole = of(`"${'x'.repeat(100)}\\u00e9\\n${'y'.repeat(100)}"`);
    const line = whole.split('\n').find((one) => one.includes('stdout')) ?? '';
    for (let length = '      "stdout": "x'.length; length < line.length - 2; length += 1) {
      const { result } = read(whole.replace(line, line.slice(0, length)));
      expect(result).toMatchObject({ nodes: [{ node: 'h1', exitCode: 0, truncated: true }] });
      const [node] = result?.kind === 'outputs' ? result.nodes : [];
      expect(`${'x'.repeat(100)}é\n${'y'.repeat(100)}`.startsWith(node?.output ?? '?')).toBe(true);
    }
  });

  test('that is no JSON (nobody prints that) is left out, and said to be cut', () => {
    expect(read(of(String.raw`"a\q"`)).result).toMatchObject({ nodes: [{ output: '', truncated: true }] });
  });

  test('that is long is cut, and says so', () => {
    const { result } = read(of(`"${'x'.repeat(10_000)}"`));
    expect(result).toMatchObject({ nodes: [{ truncated: true, output: 'x'.repeat(8 * 1024) }] });
    const lines = Array.from({ length: 5_000 }, (_, index) => `        ${index},`).join('\n');
    expect(read(of(`[\n${lines}\n        0\n      ]`)).result).toMatchObject({
      nodes: [{ truncated: true }],
    });
  });

  test('of thousands of nodes does not grow without end', () => {
    const one = (index: number): string =>
      of(`"${'y'.repeat(500)}"`)
        .replace('ct-demo-h1', `ct-demo-n${index}`)
        .slice(2);
    const { result } = read(Array.from({ length: 5_000 }, (_, index) => one(index)).join(''));
    expect(result).toMatchObject({ complete: false });
    expect(result).toHaveProperty('nodes.length', 1_000);
    expect(JSON.stringify(result).length).toBeLessThan(128 * 1024);
  });
});

test('ended half-way, it is not complete; without any node there is none', () => {
  expect(read(of('""').split('\n').slice(0, 3).join('\n'), null).result).toMatchObject({
    complete: false,
    nodes: [{ node: 'h1', exitCode: null }],
  });
  expect(read('{}', 0)).toEqual({
    result: null,
    warnings: [expect.stringContaining('cannot be assigned to nodes')],
  });
});

import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { nodeOutputReader } from '../../../../../../src/labs/drivers/netlab-language/results/node-output-reader.ts';

const rule = '='.repeat(80);
const command = ['netlab', 'exec', '--header', '--', 'r1,h1', 'echo', 'a b'];
const headline = (node: string, words = 'echo "a b"'): string =>
  `${rule}\n${node}: executing ${words}\n${rule}\n`;

function read(log: string, exitCode: number | null = 0, argv = command) {
  const reader = nodeOutputReader({ command: argv });
  for (const line of log.replace(/\n$/, '').split('\n')) reader.line(line);
  return reader.end({ exitCode });
}

const output = (node: string, text: string, exitCode: number | null = null) => ({
  node,
  output: text,
  truncated: false,
  exitCode,
});

test('what netlab 26.10 printed', () => {
  const log = readFileSync(path.resolve('tests/fixtures/netlab/validate/exec.log'), 'utf8');
  const argv = ['netlab', 'exec', '--header', '--', 'r1,h1', 'sh', '-c', 'echo "a  b"; exit 3'];
  expect(read(log, 0, argv).result).toEqual({
    kind: 'outputs',
    complete: true,
    nodes: [expect.objectContaining({ node: 'r1', exitCode: null }), expect.objectContaining({ node: 'h1' })],
  });
});

describe('the output', () => {
  test('of each node is what stands between the headlines, without the empty line that netlab adds', () => {
    const log = `warming up\n${headline('r1')}a b\n\n\n${headline('h1')}no end of line\n`;
    expect(read(log).result).toEqual({
      kind: 'outputs',
      complete: true,
      nodes: [output('r1', 'a b\n\n'), output('h1', 'no end of line')],
    });
  });

  test('has how the command ended there, where the lab CLI says so', () => {
    const log = `${headline('r1')}a b\n\nr1: exit code 0\n${headline('h1')}\nh1: exit code 17\n`;
    expect(read(log, 17).result).toMatchObject({ nodes: [output('r1', 'a b\n', 0), output('h1', '', 17)] });
  });

  test('may look like another headline', () => {
    const forged = `${rule}\nr2: executing echo\n${rule}\n`;
    const { result } = read(`${headline('r1')}${rule}\n${forged}\n`);
    expect(result).toMatchObject({ nodes: [{ node: 'r1', output: `${rule}\n${forged}` }] });
  });

  test('of a command of several lines is found behind its headline', () => {
    const argv = [...command.slice(0, 5), 'sh', '-c', 'echo a\necho b'];
    const log = `${headline('r1', 'sh -c "echo a\necho b"')}a\nb\n\n`;
    expect(read(log, 0, argv).result).toMatchObject({ nodes: [output('r1', 'a\nb\n')] });
  });

  test('that is long is cut, and says so', () => {
    const { result } = read(`${headline('r1')}${'x'.repeat(10_000)}\n\n${headline('h1')}short\n\n`);
    expect(result).toMatchObject({ nodes: [{ truncated: true }, output('h1', 'short\n')] });
    expect(JSON.stringify(result).length).toBeLessThan(9_000);
  });
});

test('ended half-way, it is not complete; without a headline there is none', () => {
  expect(read(`${headline('r1')}a`, null).result).toMatchObject({ complete: false });
  expect(read('Fatal error in netlab: no', 1)).toEqual({ result: null, warnings: [] });
  expect(read('what', 0).warnings).toEqual([expect.stringContaining('cannot be assigned to nodes')]);
});

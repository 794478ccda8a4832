import { expect, test } from '@jest/globals';
import { NodeOutputs } from '../../../../src/labs/drivers/node-outputs.ts';

const ended = { exitCode: 0 };
const cut = 'x'.repeat(100_000);

/** What is kept of what was printed in nodes one after the other: `undefined` for nothing. */
function kept(...printed: readonly (string | undefined)[]) {
  const outputs = new NodeOutputs();
  for (const [index, text] of printed.entries()) {
    outputs.begin(`h${index}`);
    if (text !== undefined) outputs.add(text);
  }
  const { result } = outputs.end(ended);
  return result?.kind === 'outputs' ? result : undefined;
}

test('what was printed belongs to the node that began last', () => {
  const outputs = new NodeOutputs();
  outputs.add('before any node');
  outputs.setExitCode(9);
  expect(outputs.node).toBeUndefined();
  outputs.begin('h1');
  outputs.add('one ');
  outputs.add('two ');
  outputs.setExitCode(3);
  outputs.begin('h2');
  expect(outputs.node).toBe('h2');
  outputs.add('part', false);
  expect(outputs.end(ended, (text) => text.trim())).toEqual({
    result: {
      kind: 'outputs',
      complete: true,
      nodes: [
        { node: 'h1', output: 'one two', truncated: false, exitCode: 3 },
        { node: 'h2', output: 'part', truncated: true, exitCode: null },
      ],
    },
    warnings: [],
  });
});

test('what is cut is not tidied: nobody knows what came next', () => {
  const outputs = new NodeOutputs();
  outputs.begin('h1');
  outputs.add(' part ', false);
  outputs.add(' more ');
  const { result } = outputs.end(ended, (text) => text.trim());
  expect(result).toMatchObject({ nodes: [{ output: ' part  more ', truncated: true }] });
});

test('of one node, and of all, there is so much and no more', () => {
  const [first] = kept(cut)?.nodes ?? [];
  const longest = first?.output.length ?? 0;
  expect([first?.truncated, longest > 0 && longest < cut.length]).toEqual([true, true]);
  const exact = kept('x'.repeat(longest));
  expect(exact?.nodes).toMatchObject([{ truncated: false }]);
  const many = kept(...Array.from({ length: 100 }, () => cut))?.nodes ?? [];
  const all = many.reduce((sum, { output }) => sum + output.length, 0);
  expect(all).toBeLessThan(100 * longest);
  expect(many.at(-1)).toMatchObject({ output: '', truncated: true });
  const fitting = kept('x'.repeat(longest), ...Array.from({ length: 99 }, () => cut))?.nodes ?? [];
  expect(fitting.reduce((sum, { output }) => sum + output.length, 0)).toBe(all);
});

test('there are a thousand nodes at most', () => {
  const names = Array.from({ length: 1_000 }, () => undefined);
  expect(kept(...names)).toMatchObject({ complete: true });
  const outputs = new NodeOutputs();
  for (let index = 0; index <= 1_000; index += 1) outputs.begin(`h${index}`);
  expect(outputs.node).toBeUndefined();
  outputs.add('of one too many');
  outputs.setExitCode(7);
  const { result } = outputs.end(ended);
  if (result?.kind !== 'outputs') throw new Error('there is none');
  expect([result.complete, result.nodes.length]).toEqual([false, 1_000]);
  expect(result.nodes.at(-1)).toEqual({ node: 'h999', output: '', truncated: false, exitCode: null });
});

test('without a node there is no result, which is told of a command that ended well', () => {
  expect(new NodeOutputs().end(ended)).toEqual({
    result: null,
    warnings: [expect.stringContaining('see the log')],
  });
  expect(new NodeOutputs().end({ exitCode: 1 })).toEqual({ result: null, warnings: [] });
  const outputs = new NodeOutputs();
  outputs.begin('h1');
  expect(outputs.end({ exitCode: null }).result).toMatchObject({ complete: false });
});

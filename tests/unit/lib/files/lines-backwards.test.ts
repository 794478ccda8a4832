/** Lines of real files, read from the end. */
import { describe, expect, test } from '@jest/globals';
import { truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { linesBackwards, ShorterFile } from '../../../../src/lib/files/lines-backwards.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const blockBytes = 64 * 1024;

/** The lines before `end`, and what was reached after each block. */
async function read(
  text: string | Buffer,
  { end, maxLineBytes = 1_000_000 }: { end?: number; maxLineBytes?: number } = {},
) {
  const { file } = emptyPlace(root);
  writeFileSync(file, text);
  const handle = await open(file);
  const [lines, starts, reached]: [string[], number[], number[]] = [[], [], []];
  try {
    const wanted = { end: end ?? (await handle.stat()).size, maxLineBytes };
    for await (const block of linesBackwards(handle, wanted)) {
      for (const { bytes, start } of block.lines) {
        lines.push(bytes.toString());
        starts.push(start);
      }
      reached.push(block.reached);
    }
  } finally {
    await handle.close();
  }
  return { lines, starts, reached };
}

describe('lines from the end', () => {
  test.each([
    ['no bytes', '', []],
    ['a line feed alone', '\n', []],
    ['whole lines', 'a\nb\n', ['b', 'a']],
    ['a last line that is not ended', 'a\nb', ['b', 'a']],
    ['empty lines', '\n\na\n\n\nb\n\n', ['b', 'a']],
  ])('of %s', async (_what, text, lines) => {
    expect((await read(text)).lines).toEqual(lines);
  });

  test('are whole wherever blocks begin, and say where they are', async () => {
    for (const shift of [-2, -1, 0, 1, 2]) {
      const first = 'x'.repeat(blockBytes + shift);
      const { lines, starts, reached } = await read(`${first}\nsecond\nthird\n`);
      expect(lines).toEqual(['third', 'second', first]);
      expect(starts).toEqual([first.length + 8, first.length + 1, 0]);
      expect(reached.at(-1)).toBe(0);
    }
  });

  test('that end at an offset leave out what stands behind it', async () => {
    expect(await read('one\ntwo\nthree\n', { end: 4 })).toMatchObject({ lines: ['one'], starts: [0] });
  });

  test('that are too long are left out, and do not stop the reading', async () => {
    const long = 'x'.repeat(3 * blockBytes);
    const { lines, reached } = await read(`first\n${long}\nlast\n`, { maxLineBytes: 1000 });
    expect(lines).toEqual(['last', 'first']);
    // Each block is progress for who goes on from there.
    expect(reached).toEqual([...new Set(reached)].toSorted((a, b) => b - a));
    expect((await read(`first\n${'x'.repeat(1001)}\nlast`, { maxLineBytes: 1000 })).lines).toEqual([
      'last',
      'first',
    ]);
    expect((await read(`${'x'.repeat(1000)}\nlast`, { maxLineBytes: 1000 })).lines).toHaveLength(2);
  });

  test('of a file that is shortened meanwhile end with an error', async () => {
    const { file } = emptyPlace(root);
    writeFileSync(file, 'line\n'.repeat(blockBytes));
    const handle = await open(file);
    const blocks = linesBackwards(handle, { end: blockBytes * 5, maxLineBytes: 100 });
    await blocks.next();
    truncateSync(file, 10);
    await expect(blocks.next()).rejects.toThrow(ShorterFile);
    await handle.close();
  });
});

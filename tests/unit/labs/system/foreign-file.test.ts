/** The thread is that of the built program: a thread of Node takes no TypeScript. */
import { expect, test } from '@jest/globals';
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { engineTopologyForm } from '../../../../src/labs/drivers/engine/engine-topology.ts';
import {
  answerForeign,
  ForeignFileError,
  parseJson,
  readForeign,
  understand,
  type Form,
} from '../../../../src/labs/system/foreign-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const file = path.join(temporaryDirectory(), 'file.json');

/** A form that the thread does not know: who reads with it reads here. */
const here: Form<unknown> = { name: 'here', maxBytes: 100, besideBytes: 50, read: parseJson };

test('a short text is understood at once, a long one in the thread, and one that is too long not at all', async () => {
  writeFileSync(file, '{"a": [1]}');
  expect(await readForeign(file, here)).toEqual({ a: [1] });
  expect(await understand(here, Buffer.from('[2]'))).toEqual([2]);
  const asked = 'the thread does not know texts of this kind';
  writeFileSync(file, JSON.stringify('x'.repeat(60)));
  await expect(readForeign(file, here)).rejects.toThrow(asked);
  await expect(understand(here, Buffer.alloc(51))).rejects.toThrow(asked);
  truncateSync(file, engineTopologyForm.maxBytes + 1);
  await expect(readForeign(file, engineTopologyForm)).rejects.toThrow('is longer than 67108864 bytes');
  await expect(understand(here, Buffer.alloc(101))).rejects.toThrow('it is longer than 100 bytes');
});

test('the thread says the same as it would be said here', async () => {
  const node = { name: 'a', device: 'linux', role: 'host', loopback: null, interfaces: [] };
  const text = JSON.stringify({ nodes: [node], links: [], more: 'x'.repeat(300_000) });
  const read = async (bytes: string) => understand(engineTopologyForm, Buffer.from(bytes));
  expect(await read(text)).toEqual({ nodes: [{ ...node, groups: [], as: null, modules: [] }], links: [] });
  await expect(read(text.replace('"linux"', '7'))).rejects.toThrow(/nodes\[0\]\.device$/);
  // It lives on.
  expect(await read(text)).toMatchObject({ links: [] });
});

test('a refusal has a few lines', async () => {
  const long: Form<never> = {
    ...here,
    read: () => {
      throw new Error(Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)).join('\n'));
    },
  };
  const refused: unknown = await understand(long, Buffer.from('')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ForeignFileError);
  expect((refused as Error).message.length).toBeLessThan(7_000);
});

test('an answer that would keep the event loop is not sent', async () => {
  const large = { maxBytes: 0, read: () => 'x'.repeat(6_000_000) };
  expect(await answerForeign(large, { bytes: Buffer.from('') }, undefined)).toEqual({
    kind: 'refused',
    lines: 'it describes more than the service can show',
  });
});

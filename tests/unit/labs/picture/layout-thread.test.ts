/** The thread is that of the built program: a thread of Node takes no TypeScript. */
import { afterAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { graphOf } from '../../../../src/labs/picture/graph-of.ts';
import { LayoutThread } from '../../../../src/labs/picture/layout-thread.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { link, node } from './hand-made.ts';

const directory = temporaryDirectory();
const end = new AbortController();
afterAll(() => end.abort());

const task = { graph: graphOf({ nodes: [node('a'), node('b')], links: [link('1', ['a', 'b'])] }), given: {} };

/** A thread that does this for a task that asks for nothing, and its work for all others. */
function threadThat(name: string, code: string, limits = {}): LayoutThread {
  const file = path.join(directory, `${name}.mjs`);
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ graph }) => {
  if (graph.boxes.length === 0) { ${code} }
  else parentPort.postMessage({ kind: 'placed', placed: { boxes: graph.boxes } });
});`,
  );
  return new LayoutThread({ shutdown: end.signal, program: pathToFileURL(file), ...limits });
}

const bad = { graph: { boxes: [], lines: [] }, given: {} };

test('it lays out, one after the other', async () => {
  const thread = new LayoutThread({ shutdown: end.signal });
  const all = await Promise.all([thread.layOut(task), thread.layOut(task), thread.layOut(task)]);
  for (const { boxes } of all) expect(boxes).toHaveLength(2);
});

test('one that hangs is ended, and the next picture has another one', async () => {
  const thread = threadThat('hangs', 'for (;;);', { timeoutMs: 2_000 });
  expect(await failureOf(thread.layOut(bad))).toMatchObject({
    code: 'not-supported',
    message: expect.stringContaining('takes more than 2 s: '),
  });
  expect((await thread.layOut(task)).boxes).toHaveLength(2);
});

test.each([
  ['dies', 'process.exit(3);', /^the thread that lays out pictures: .*has ended/],
  ['breaks', 'throw new Error("broken");', /broken/],
  [
    'cannot do it',
    "parentPort.postMessage({ kind: 'failed', message: 'no such layout' });",
    /no such layout/,
  ],
])('one that %s says so, and the next picture has another one', async (name, code, words) => {
  const thread = threadThat(name.replaceAll(' ', '-'), code);
  await expect(thread.layOut(bad)).rejects.toThrow(words);
  expect((await thread.layOut(task)).boxes).toHaveLength(2);
});

test('one that takes all memory is refused', async () => {
  const thread = threadThat(
    'eats',
    'const all = []; for (;;) all.push(new Array(1e6).fill({ a: all.length }));',
    { memoryMb: 20 },
  );
  expect(await failureOf(thread.layOut(bad))).toMatchObject({
    code: 'not-supported',
    message: expect.stringContaining('takes more memory than it may have: '),
  });
});

test('a stop of the service ends what it is at, and nothing begins afterwards', async () => {
  const stop = new AbortController();
  const file = path.join(directory, 'waits.mjs');
  writeFileSync(
    file,
    "import { parentPort } from 'node:worker_threads';\nparentPort.on('message', () => {});",
  );
  const thread = new LayoutThread({ shutdown: stop.signal, program: pathToFileURL(file) });
  const waiting = failureOf(thread.layOut(task));
  setImmediate(() => stop.abort());
  expect(await waiting).toMatchObject({ code: 'shutting-down' });
  expect(await failureOf(thread.layOut(task))).toMatchObject({ code: 'shutting-down' });
});

/** `lab snapshot` and `lab diff`, as a user of labs types them. */
import { beforeAll, expect, test } from '@jest/globals';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { harmful } from '../../src/lib/text/harmless-text.ts';
import { listeners } from '../support/listening.ts';
import { remoteLab } from '../support/remote-lab.ts';
import { topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { service, ran } = remoteLab();
const listen = listeners();
const directory = temporaryDirectory();

beforeAll(async () => {
  const { ground } = service();
  await service().ended(
    await service().start({ action: 'up', workdir: ground.workdir, topology: topologyThat() }),
  );
});

test('lab snapshot keeps a lab, lists, starts and removes it', async () => {
  const kept = await ran(['snapshot', 'keep', 'default', 'stage']);
  expect(kept.output).toMatch(/^stage has \d+ files, /m);
  const list = await ran(['snapshot', 'list']);
  expect(list.output).toMatch(/^NAME +LAB +NODES +SIZE +CREATED +OWNER\nstage +default +/);
  const copies = await ran([
    'snapshot',
    'restore',
    'stage',
    '--workspace',
    'class',
    '--copies',
    '2',
    '--wait',
  ]);
  expect(copies.output).toMatch(/^class-1 +\S+ +up +success +job-/m);
  expect(copies.exitCode).toBe(0);
  const again = await ran(['snapshot', 'restore', 'stage', '--workspace', 'class-1']);
  expect(again).toEqual({ exitCode: 1, output: expect.stringContaining('"class-1" is there already') });
  const file = path.join(service().ground.root, 'stage.tar.gz');
  expect((await ran(['snapshot', 'download', 'stage', file])).exitCode).toBe(0);
  expect([existsSync(file), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  const twice = await ran(['snapshot', 'download', 'stage', file]);
  expect(twice).toEqual({ exitCode: 2, output: expect.stringContaining('exists: give another file') });
  expect(await ran(['snapshot', 'rm', 'stage'])).toEqual({ exitCode: 0, output: 'stage is removed\n' });
  const gone = await ran(['snapshot', 'rm', 'stage']);
  expect(gone).toEqual({ exitCode: 1, output: expect.stringContaining('"lab snapshot list" lists them') });
});

test.each([
  [['restore', 'x', '--workspace', 'w', '--copies', '2', '--replace'], /leave out --replace/],
  [['restore', 'x', '--workspace', 'w', '--ttl', 'long'], /--ttl: "long" is not a duration/],
])('lab snapshot %j is refused before a request', async (words, sentence) => {
  expect(await ran(['snapshot', ...words])).toEqual({ exitCode: 2, output: expect.stringMatching(sentence) });
});

const side = { snapshot: 'stage', at: '2026-01-01T00:00:00.000Z' };
const differing = (nodes: readonly unknown[], differs: boolean) => ({
  differs,
  before: side,
  after: side,
  nodes,
});
const node = { node: 'r1', change: 'changed', diff: '-a\n+b\n', reason: null };

test.each([
  [differing([{ ...node, change: 'same', diff: null }], false), 0, /nothing differs/],
  [differing([node], true), 1, /^-a\n\+b\n$/],
  [
    differing([{ ...node, change: 'unknown', diff: null, reason: 'is down' }], false),
    2,
    /^r1: unknown, is down$/m,
  ],
])('lab diff ends as diff(1) does: %#', async (reply, exitCode, sentence) => {
  const server = createServer((_req, res) => res.end(JSON.stringify(reply)));
  const run = await ran(['diff', 'default'], { LAB_API_URL: `http://127.0.0.1:${await listen(server)}` });
  expect(run).toEqual({ exitCode, output: expect.stringMatching(sentence) });
});

test.each([
  ['diff', 'none'],
  ['snapshot', 'diff', 'none', 'other'],
])('a refused comparison is no difference: lab %s %s', async (...words) => {
  expect((await ran(words)).exitCode).toBe(2);
});

test('of an archive that breaks off, or that cannot be written, no file is left', async () => {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Length': 100 }).write('half', () => res.destroy());
  });
  const env = { LAB_API_URL: `http://127.0.0.1:${await listen(server)}` };
  const lost = await ran(['snapshot', 'download', 'stage', path.join(directory, 'stage.tar.gz')], env);
  expect(lost).toEqual({ exitCode: 69, output: expect.stringContaining('the connection was lost before') });
  const nowhere = path.join(directory, 'none', 'stage.tar.gz');
  const refused = await ran(['snapshot', 'download', 'stage', nowhere], env);
  expect(refused).toEqual({ exitCode: 1, output: expect.stringContaining(`${nowhere} cannot be written`) });
  expect(readdirSync(directory)).toEqual([]);
});

test('of a hostile server, nothing that a terminal obeys is printed', async () => {
  const escapes = 'a\u001b[2Jb\u202e';
  const server = createServer((_req, res) => {
    res.end(JSON.stringify(differing([{ ...node, node: escapes, diff: escapes, reason: escapes }], true)));
  });
  const { output } = await ran(['diff', 'default'], {
    LAB_API_URL: `http://127.0.0.1:${await listen(server)}`,
  });
  expect(output.replaceAll('\n', '')).not.toMatch(harmful);
});

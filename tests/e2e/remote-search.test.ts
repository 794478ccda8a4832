/** `lab search`, as a user of labs types it. */
import { beforeAll, expect, test } from '@jest/globals';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { harmful } from '../../src/lib/text/harmless-text.ts';
import { listeners } from '../support/listening.ts';
import { remoteLab } from '../support/remote-lab.ts';
import { topologyThat } from '../support/service.ts';

const { service, ran } = remoteLab();
const listen = listeners();

beforeAll(async () => {
  const { ground } = service();
  const inspected = path.resolve(__dirname, '../fixtures/netlab/inspect.json');
  const start = async (workdir: string, more = {}) =>
    service().ended(await service().start({ action: 'up', workdir, topology: topologyThat(), ...more }));
  await start(ground.workdir);
  await start(ground.makeWorkdir('unread'), { multilabId: 9 });
  copyFileSync(inspected, path.join(ground.workdir, 'netlab.snapshot.pickle'));
});

test('lab search says who has an address, and which labs it could not read', async () => {
  const { exitCode, output } = await ran(['search', '10.1.0.2']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(
    /^MATCH +VALUE +WHAT +LAB +WHERE\nhas +10\.1\.0\.2\/30 +interface +default +r2 eth1\ncontains +10\.1\.0\.0\/30 +link +default +r1 eth2, r2 eth1\n/,
  );
  expect(output).toContain('lab: the topology of 9 was not searched: lab "9" has no snapshot');
});

test('lab search prints the answer as JSON', async () => {
  const { output } = await ran(['search', '10.0.0.1', '--output', 'json']);
  // Its complaints follow.
  const [answer = ''] = output.split('\nlab: ');
  expect(JSON.parse(answer)).toMatchObject({
    query: { kind: 'address', value: '10.0.0.1' },
    matches: [{ lab: 'default', node: 'r1', thing: 'loopback' }],
  });
});

test.each([
  [['nosuch-name'], 0, /^lab: nothing was found$/m],
  [['0.0.0.0/0', '--limit', '1'], 0, /^lab: there are more than these 1: --limit shows up to 1000$/m],
  [['10.0.0.0/33'], 2, /^lab: q: "10\.0\.0\.0\/33" has no prefix length from 0 to 32/],
  [['r1', '--limit', 'x'], 2, /^lab: --limit: "x" is not a whole number over 0$/m],
])('lab search %j ends with %i', async (words, exitCode, sentence) => {
  const run = await ran(['search', ...words]);
  expect(run).toEqual({ exitCode, output: expect.stringMatching(sentence) });
});

test.each(['table', 'json'])(
  'of a hostile server, nothing that a terminal obeys is printed: %s',
  async (form) => {
    const escapes = 'a\u001b[2Jb\u202e';
    const endpoints = [{ node: escapes, interface: { odd: escapes } }, null];
    const found = { lab: escapes, match: escapes, thing: escapes, value: escapes, node: null, endpoints };
    const incomplete = [{ lab: escapes, reason: escapes }];
    const reply = JSON.stringify({ matches: [found], truncated: true, incomplete, missingHosts: [escapes] });
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(reply);
    });
    const LAB_API_URL = `http://127.0.0.1:${await listen(server)}`;
    const { exitCode, output } = await ran(['search', 'x', '-o', form], { LAB_API_URL });
    expect(exitCode).toBe(0);
    expect(output.replaceAll('\n', '')).not.toMatch(harmful);
    expect(output).toMatch(/a.*b/);
  },
);

/** GET /labs/{id}/reports: what `netlab report` makes of a lab. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const fixtures = path.resolve(__dirname, '../fixtures/netlab');
let service: RunningService;
let snapshot: string;
let list: string;

beforeAll(async () => {
  service = await startService();
  const { workdir, env } = service.ground;
  await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
  snapshot = path.join(workdir, 'netlab.snapshot.pickle');
  copyFileSync(path.join(fixtures, 'inspect.json'), snapshot);
  list = path.join(String(env['FAKE_LAB_STATE']), 'reports.yml');
  mkdirSync(path.join(workdir, 'reports'));
  for (const name of ['addressing', 'bgp.md', 'wiring.html'])
    writeFileSync(path.join(workdir, 'reports', `${name}.j2`), `<b>${name}</b>\n`);
});

describe('the list', () => {
  test('has every report of netlab with its format, by name', async () => {
    copyFileSync(path.join(fixtures, 'reports.yml'), list);
    const { json } = await service.get('/labs/default/reports');
    expect(json.reports).toHaveLength(32);
    expect(json.reports.slice(0, 3)).toEqual([
      { name: 'addressing', description: 'Node/interface addressing', format: 'text' },
      { name: 'addressing-link.html', description: 'Link/interface addressing', format: 'html' },
      { name: 'addressing-node.html', description: 'Node/interface addressing', format: 'html' },
    ]);
    expect(json.reports).toContainEqual({
      name: 'bgp-neighbor.md',
      description: 'BGP neighbors',
      format: 'markdown',
    });
  });

  test.each([
    ['another document', 'reports: none\n'],
    ['no YAML', '{'],
    ['nothing', ''],
  ])('%s in its place is an error of the lab CLI', async (_, text) => {
    writeFileSync(list, text);
    expectProblem(await service.get('/labs/default/reports'), 502, 'lab-cli-failed');
  });
});

describe('a report', () => {
  test.each([
    ['addressing', 'text/plain'],
    ['bgp.md', 'text/markdown'],
    ['wiring.html', 'text/html'],
  ])('%s is %s, and runs nothing', async (name, type) => {
    const reply = await service.get(`/labs/default/reports/${name}`);
    expect(reply).toMatchObject({ status: 200, text: `<b>${name}</b>\n` });
    expect(reply.headers).toMatchObject({
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*; sandbox$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  test('with another name is not there', async () => {
    const reply = await service.get('/labs/default/reports/nosuch');
    expectProblem(reply, 404, 'report-not-found');
    expect(reply.json.detail).toContain('GET /labs/default/reports');
  });

  test.each(['--help', '..%2Faddressing', 'a%20b', '.hidden', 'a'.repeat(101)])(
    'called %s is refused before the lab CLI runs',
    async (name) => {
      const before = service.ground.runs('report').length;
      const reply = await service.get(`/labs/default/reports/${name}`);
      expectProblem(reply, 400, 'invalid-request');
      expect(wrongFields(reply)).toEqual(['name']);
      expect(service.ground.runs('report')).toHaveLength(before);
    },
  );

  test('ends with its client, also for those that wait for their turn', async () => {
    const { workdir, env } = service.ground;
    // The program of the test blocks in reading it.
    execFileSync('mkfifo', [path.join(workdir, 'reports/slow.j2')]);
    const programs = (): number => processesWith(`FAKE_LAB_STATE=${env['FAKE_LAB_STATE']}`).length;
    const requests = Array.from({ length: 3 }, () => http.get(`${service.url}/labs/default/reports/slow`));
    for (const request of requests) request.on('error', () => undefined);
    await eventually('two run', () => service.ground.runs('report --quiet slow').length === 2);
    for (const request of requests) request.destroy();
    await eventually('no program is left', () => programs() === 0);
    expect((await service.get('/labs/default/reports/addressing')).status).toBe(200);
  });

  test('of a lab without a snapshot is not there: netlab would report the topology file', async () => {
    rmSync(snapshot);
    expectProblem(await service.get('/labs/default/reports/addressing'), 404, 'topology-not-found');
    copyFileSync(path.join(fixtures, 'inspect.json'), snapshot);
  });

  test('of a lab that is not there is 404', async () => {
    expectProblem(await service.get('/labs/nowhere/reports/addressing'), 404, 'instance-not-found');
  });
});

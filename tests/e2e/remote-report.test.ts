/** `lab report`, as a user of a lab types it. */
import { beforeAll, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { remoteLab } from '../support/remote-lab.ts';
import { topologyThat } from '../support/service.ts';

const { service, ran } = remoteLab();
const fixtures = path.resolve(__dirname, '../fixtures/netlab');

beforeAll(async () => {
  const { workdir, env } = service().ground;
  await service().ended(await service().start({ action: 'up', workdir, topology: topologyThat() }));
  copyFileSync(path.join(fixtures, 'inspect.json'), path.join(workdir, 'netlab.snapshot.pickle'));
  copyFileSync(path.join(fixtures, 'reports.yml'), path.join(String(env['FAKE_LAB_STATE']), 'reports.yml'));
  mkdirSync(path.join(workdir, 'reports'));
  writeFileSync(path.join(workdir, 'reports/bgp.md.j2'), '# BGP\n');
});

test('lab report lists the reports', async () => {
  const { exitCode, output } = await ran(['report', 'default']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^NAME +FORMAT +DESCRIPTION\naddressing +text +Node\/interface addressing\n/);
  const answer: unknown = JSON.parse((await ran(['report', 'default', '-o', 'json'])).output);
  expect(answer).toHaveProperty('reports.length', 32);
});

test('lab report prints a report', async () => {
  expect(await ran(['report', 'default', 'bgp.md'])).toEqual({ exitCode: 0, output: '# BGP\n' });
});

test.each([
  [['nosuch'], 1, 'there is no report "nosuch"'],
  [['bgp.md', '-o', 'json'], 2, 'leave out NAME'],
])('lab report default %j ends with %i', async (words, exitCode, sentence) => {
  const run = await ran(['report', 'default', ...words]);
  expect(run).toEqual({ exitCode, output: expect.stringContaining(sentence) });
});

/** The traffic of a real lab of the bundled engine, over HTTP and from the command line. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { LabTraffic } from '../../src/client/api-types.ts';
import { LabApiClient } from '../../src/client/lab-api-client.ts';
import { rateOf, ratesBetween } from '../../src/client/link-rates.ts';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { bareShell } from '../support/remote-lab.ts';
import { runProgram, startProgram, type RunningProgram } from '../support/service.ts';

const { because, home, it, prepared } = preparedLabs({ missing: missingForAnyLabs() });
const { where, instance } = prepared('traffic', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
    ['r1', 'h3', 'h4'],
  ],
});

let service: RunningProgram;
let client: LabApiClient;
beforeAll(async () => {
  if (because !== '') return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  client = new LabApiClient({ url: service.url });
});
afterAll(async () => void (await service?.end()));

const packetsAt = ({ nodes }: LabTraffic, name: string, link: string): number =>
  nodes.find(({ node }) => node === name)?.interfaces.find((one) => one.link === link)?.txPackets ?? 0;

it(`packets between two nodes are counted at the links on their way alone${because}`, async () => {
  const topology = await service.get(`/labs/${instance}/topology`);
  const ends = (topology.json.links as { id: string; endpoints: unknown[] }[]).flatMap(({ id, endpoints }) =>
    endpoints.map(() => id),
  );
  const before = await client.traffic(instance);
  expect(before.unread).toEqual([]);
  expect(before.nodes.flatMap(({ interfaces }) => interfaces.map(({ link }) => link)).toSorted()).toEqual(
    ends.toSorted(),
  );
  const ping = ['ping', '-q', '-c', '200', '-i', '0.002', '-s', '1000', 'h2'];
  const { json } = await service.post(`/labs/${instance}/nodes/h1/exec`, { command: ping });
  expect(json).toMatchObject({ exitCode: 0 });
  await eventually('they are counted', async () => {
    const sent = packetsAt(await client.traffic(instance), 'h1', '1');
    return sent - packetsAt(before, 'h1', '1') >= 200;
  });
  const now = await client.traffic(instance);
  expect(packetsAt(now, 'h2', '2') - packetsAt(before, 'h2', '2')).toBeGreaterThanOrEqual(200);
  expect(packetsAt(now, 'h3', '3') - packetsAt(before, 'h3', '3')).toBeLessThan(100);
  const rates = ratesBetween(before, now);
  const rateAt = (link: string): number => rateOf(rates.get(link) ?? [])?.bytes ?? NaN;
  expect(rateAt('1')).toBeGreaterThan(10 * rateAt('3'));
  expect(rateAt('2')).toBeGreaterThan(10 * rateAt('3'));
});

it(`lab traffic prints the rates of each end${because}`, async () => {
  const env = { ...bareShell, LAB_API_URL: service.url };
  const table = runProgram(['traffic', instance, '--interval', '100ms'], env);
  expect(await table.exit).toBe(0);
  expect(table.output()).toMatch(/^LINK +END +IN +PACKETS +OUT +PACKETS +ERRORS +DROPS\n1 +h1:eth1 +\d+/);
  const json = runProgram(['traffic', instance, '--interval', '100ms', '--output', 'json'], env);
  expect(await json.exit).toBe(0);
  const { links, unread } = JSON.parse(json.output()) as {
    links: { id: string; ends: { node: string }[] }[];
    unread: unknown[];
  };
  expect(links.map(({ id, ends }) => [id, ends.map(({ node }) => node).toSorted()])).toEqual([
    ['1', ['h1', 'r1']],
    ['2', ['h2', 'r1']],
    ['3', ['h3', 'h4', 'r1']],
  ]);
  expect(unread).toEqual([]);
  const wrong = runProgram(['traffic', instance, '--interval', 'soon'], env);
  expect(await wrong.exit).toBe(2);
  expect(wrong.output()).toBe('lab: --interval: "soon" is not a duration from 100ms to 1h: write 2s\n');
});

it(`a lab that is not there has no traffic, and neither has one that is down${because}`, async () => {
  expect(await service.get('/labs/nothing/traffic')).toMatchObject({
    status: 404,
    json: { code: 'instance-not-found' },
  });
  await lab(where, ['down', '--instance', instance]);
  await eventually(
    'it is gone',
    async () => (await service.get(`/labs/${instance}/traffic`)).json.code === 'instance-not-found',
  );
});

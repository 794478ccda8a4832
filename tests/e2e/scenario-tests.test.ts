/** Scenarios that ask for tests of the lab, and keep packets. */
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import { scenarioLabs } from '../support/scenario-labs.ts';
import type { RunningProgram } from '../support/service.ts';

const { because, it, engineService, upIn } = scenarioLabs('tcpdump');

const flows = [{ from: 'h1', to: 'h2', family: 'ipv4' }];
const scenario = {
  flows,
  steady: { for: '300ms', within: '20s', tests: ['there'] },
  expect: { tests: ['there'] },
  hold: '1s',
};

/** How many packets a file of a job has: behind the head of a pcap file, each has a head with its length. */
async function packetsIn(service: RunningProgram, job: string, file: string): Promise<number> {
  const reply = await fetch(`${service.url}/jobs/${job}/artifacts/${file}`);
  const pcap = Buffer.from(await reply.arrayBuffer());
  expect(pcap.readUInt32LE(0)).toBe(0xa1b2c3d4);
  let count = 0;
  let at = 24;
  for (; at < pcap.length; count += 1) at += 16 + pcap.readUInt32LE(at + 8);
  // The last one is whole.
  expect(at).toBe(pcap.length);
  return count;
}

it(`judges tests of the lab, and keeps the packets of interfaces${because}`, async () => {
  const service = await engineService();
  const { request, expectNothingLeft } = await upIn(service);
  const id = await service.start(
    request({
      ...scenario,
      faults: [{ link: 'r2-r3' }, { link: 'r1-r2' }],
      paths: true,
      capture: [
        { node: 'h1', interface: 'eth1', filter: 'icmp' },
        { node: 'r3', interface: 'eth1' },
      ],
    }),
  );
  const job = await service.ended(id);
  expect(job).toMatchObject({
    state: 'failed',
    exitCode: 1,
    result: {
      tests: [
        { name: 'r2-r3 down', outcome: 'passed' },
        { name: 'r1-r2 down', outcome: 'failed', reason: expect.stringContaining('the test there failed') },
      ],
    },
  });
  const { faults } = (await service.get(`/jobs/${id}/artifacts/scenario.json`)).json as {
    faults: { streams: { sent: number }[]; pathsBefore: unknown; paths: unknown }[];
  };
  const path = { stream: 'h1 → h2 IPv4', hops: ['r1', 'r2', 'h2'], isWhole: true };
  expect(faults).toMatchObject([
    { pathsBefore: [path], paths: [path] },
    { pathsBefore: [path], paths: [{ isWhole: false }] },
  ]);
  const sent = faults.reduce((sum, { streams }) => sum + (streams[0]?.sent ?? 0), 0);
  expect(await packetsIn(service, id, 'h1-eth1.pcap')).toBeGreaterThan(sent);
  await packetsIn(service, id, 'r3-eth1.pcap');
  await expectNothingLeft(service);
});

it(`refuses tests and interfaces that the lab does not have${because}`, async () => {
  const service = await engineService();
  const { request, expectNothingLeft } = await upIn(service);
  const unknown = request({ ...scenario, each: { of: 'link' }, expect: { tests: ['there', 'here'] } });
  expect(await service.request('/jobs', { method: 'POST', body: unknown })).toMatchObject({
    status: 400,
    json: {
      detail: 'scenario.expect.tests.1: the lab has no test "here"; its tests are there, unknowable, hanging',
    },
  });
  const capture = [
    { node: 'h1', interface: 'eth1' },
    { node: 'h1', interface: 'eth9' },
  ];
  const id = await service.start(request({ ...scenario, each: { of: 'link' }, capture }));
  expect(await service.ended(id)).toMatchObject({
    state: 'failed',
    exitCode: 2,
    error: expect.stringMatching(
      /^the capture at h1 eth9 cannot begin: h1 has no interface "eth9"; it has lo/,
    ),
  });
  await expectNothingLeft(service);
});

it(`ends its captures when it is canceled${because}`, async () => {
  const service = await engineService();
  const { request, expectNothingLeft } = await upIn(service);
  const capture = [{ node: 'h1', interface: 'eth1' }];
  const lasting = { ...scenario, expect: undefined, faults: [{ link: 'r1-r2' }], hold: '10m', capture };
  const id = await service.start(request(lasting));
  await eventually('a link is broken', async () => (await service.logText(id)).includes('[1/1]'));
  await service.request(`/jobs/${id}/cancel`, { method: 'POST' });
  expect(await service.ended(id)).toMatchObject({ state: 'canceled' });
  expect(await packetsIn(service, id, 'h1-eth1.pcap')).toBeGreaterThan(0);
  await expectNothingLeft(service);
});

it(`takes a test that was skipped for one that did not pass${because}`, async () => {
  const service = await engineService();
  const { request, expectNothingLeft } = await upIn(service);
  const steady = { for: '300ms', within: '3s', tests: ['unknowable'] };
  const id = await service.start(request({ ...scenario, steady, each: { of: 'link' } }));
  expect(await service.ended(id)).toMatchObject({
    state: 'failed',
    exitCode: 2,
    error: expect.stringContaining('the test unknowable was skipped'),
  });
  await expectNothingLeft(service);
});

it(`ends tests that hang when it is canceled, and heals first${because}`, async () => {
  const service = await engineService();
  const { instance, probes, request, expectNothingLeft } = await upIn(service);
  const before = probes().length;
  const faults = [{ link: 'r2-r3' }];
  const hanging = { ...scenario, steady: { for: '300ms' }, faults, expect: { tests: ['hanging'] } };
  const id = await service.start(request(hanging));
  const isHanging = (pid: string): boolean =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep\x001234');
  await eventually('the test runs', async () => Promise.resolve(probes().some(isHanging)));
  await service.request(`/jobs/${id}/cancel`, { method: 'POST' });
  expect(await service.ended(id)).toMatchObject({ state: 'canceled' });
  expect((await service.get(`/labs/${instance}`)).json).toMatchObject({ faults: [] });
  await eventually('the test has ended', async () => Promise.resolve(probes().length === before));
  await expectNothingLeft(service);
});

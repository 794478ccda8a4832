/** The tests of a lab of the bundled engine, and what else is done with a lab that runs, as jobs of the built service. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';

const { because, home, root, it, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });
const number = freeInstanceNumber();
const instance = String(number);
const directory = path.join(root, 'tested');
takeDownLater({ where: { home, directory }, instance });

const topology = `nodes:
  h1:
  r1: { role: router }
  h2:
addressing.lan: { ipv4: 172.16.0.0/16, ipv6: 2001:db8:16::/48 }
links: [h1-r1, r1-h2]
validate:
  ping:
    description: H1 and R1 reach H2
    nodes: [h1, r1]
    plugin: ping('h2')
    pass: The lab works
  ping6:
    nodes: [h1]
    wait: 5
    plugin: ping(nodes.h2.interfaces[0].ipv6, af='ipv6', src=nodes.h1.interfaces[0].ipv6, count=2)
  nobody:
    nodes: [h1]
    plugin: ping('172.16.77.77', expect='fail', count=1)
  routed:
    nodes: [r1]
    devices: [linux]
    exec: cat /proc/sys/net/ipv4/ip_forward
    valid: "'1' in stdout and not '0' in stdout"
`;
const more = path.join(root, 'more.yml');
const slow = path.join(root, 'slow.yml');

const ground = makeGround();
const env = { LAB_API_CLI: 'engine', LAB_HOME: home };
let service: RunningProgram;

const run = async (body: Readonly<Record<string, unknown>>) =>
  service.ended(await service.start({ workdir: directory, ...body }));
const junit = (id: string): string =>
  readFileSync(path.join(ground.dataDir, 'jobs', id, 'artifacts', 'junit.xml'), 'utf8');

beforeAll(async () => {
  if (because !== '') return;
  mkdirSync(directory);
  writeFileSync(
    more,
    `good: { nodes: [h1], plugin: "ping('h2', count=1)" }
soft: { nodes: [h1], plugin: "ping('172.16.88.88', count=1)", level: warning }
foreign: { nodes: [h1], plugin: "ospf_neighbor('r1')" }
bad: { nodes: [h1, h2], plugin: "ping('172.16.99.99', count=1)", fail: "nobody <there> & so on" }
`,
  );
  writeFileSync(slow, `first: { nodes: [h1], plugin: "ping('h2', count=1)" }\nslow: { wait: 3600 }\n`);
  service = await startProgram({ ground, env });
  expect(await run({ action: 'up', topology, multilabId: number })).toMatchObject({
    state: 'success',
    result: null,
  });
});
afterAll(async () => void (await service?.end()));

describe('validate', () => {
  it(`passes, and says what was tested${because}`, async () => {
    const job = await run({ action: 'validate' });
    expect(job).toMatchObject({ state: 'success', exitCode: 0, instance, warnings: [], error: null });
    expect(job.result).toMatchObject({ kind: 'tests', passed: 4, failed: 0, warnings: 0, complete: true });
    expect(job.result.tests[0]).toEqual({
      name: 'ping',
      description: 'H1 and R1 reach H2',
      nodes: ['h1', 'r1'],
      outcome: 'passed',
      reason: null,
      messages: [
        expect.stringMatching(/^h1: Ping to h2 \(.*\) succeeded$/),
        expect.stringMatching(/^r1: Ping to h2 \(.*\) succeeded$/),
        'The lab works',
      ],
      seconds: expect.any(Number),
    });
    expect(junit(job.id)).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="4" failures="0"/,
    );
  });

  it(`fails with the tests that failed, and a warning for those that may${because}`, async () => {
    const job = await run({ action: 'validate', testSource: more });
    expect(job).toMatchObject({
      state: 'failed',
      reason: 'exited',
      exitCode: 1,
      error: 'test bad failed: Node h1: nobody <there> & so on',
      warnings: ['test soft: Node h1: Ping to 172.16.88.88 failed'],
      mayHaveLeftLab: false,
    });
    expect(job.result).toMatchObject({ passed: 1, failed: 1, warnings: 1, complete: true });
    expect(job.result.tests.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'passed',
      'warning',
      'skipped',
      'failed',
    ]);
    expect(junit(job.id)).toContain('<failure message="Node h1: nobody &lt;there&gt; &amp; so on">');
  });

  it(`that is canceled tells what was done before, and that it is not all${because}`, async () => {
    const id = await service.start({ action: 'validate', workdir: directory, testSource: slow });
    await service.logText(id);
    await expect(followUntil(id, 'Waiting for 3600')).resolves.toBe(true);
    await service.post(`/jobs/${id}/cancel`);
    const job = await service.ended(id);
    expect(job).toMatchObject({ state: 'canceled', error: 'canceled', mayHaveLeftLab: false });
    expect(job.result).toMatchObject({
      complete: false,
      passed: 1,
      tests: [
        { name: 'first', outcome: 'passed' },
        { name: 'slow', outcome: null },
      ],
    });
    expect(junit(id)).toContain('<error message="the tests were ended before their end');
  });

  it(`that ends while the service is away has its result all the same${because}`, async () => {
    const id = await service.start({
      action: 'validate',
      workdir: directory,
      testSource: slow,
      timeoutSeconds: 600,
    });
    await followUntil(id, 'Waiting for 3600');
    await service.end('SIGKILL');
    const { pid } = JSON.parse(readFileSync(path.join(ground.dataDir, 'jobs', id, 'process.json'), 'utf8'));
    process.kill(-pid, 'SIGKILL');
    service = await startProgram({ ground, env });
    const job = await service.ended(id);
    expect(job).toMatchObject({ state: 'failed', reason: 'interrupted' });
    expect(job.result).toMatchObject({ complete: false, tests: [{ outcome: 'passed' }, { outcome: null }] });
    expect(junit(id)).toContain('<testcase classname="validate');
  });
});

/** Whether the log of the job comes to say this. */
async function followUntil(id: string, text: string): Promise<boolean> {
  const log = await service.open(`/jobs/${id}/log?output=text&follow=true`);
  let seen = '';
  for await (const chunk of log as AsyncIterable<Buffer>) {
    seen += chunk.toString('utf8');
    if (seen.includes(text)) {
      log.destroy();
      return true;
    }
  }
  return false;
}

describe('exec', () => {
  it(`tells what each node printed, and how the command ended there${because}`, async () => {
    const command = ['sh', '-c', 'printf "%s" "$1"; test "$(hostname)" = h1', 'x', "a  b 'c' $d"];
    const job = await run({ action: 'exec', nodes: ['h*', 'r1'], command });
    expect(job).toMatchObject({
      state: 'failed',
      exitCode: 1,
      error: 'in h2 the command ended with exit code 1; in r1 the command ended with exit code 1',
      mayHaveLeftLab: false,
    });
    const printed = (node: string, exitCode: number) => ({
      node,
      output: "a  b 'c' $d",
      truncated: false,
      exitCode,
    });
    expect(job.result).toEqual({
      kind: 'outputs',
      complete: true,
      nodes: [printed('h1', 0), printed('h2', 1), printed('r1', 1)],
    });
  });
});

it.each([
  [{ command: ['true'] }, 'nodes'],
  [{ nodes: ['h1'] }, 'command'],
  [{ nodes: ['h1'], command: 'ip route' }, 'command'],
  [{ nodes: ['h1'], command: ['-c'] }, 'command'],
  [{ nodes: ['@/etc/passwd'], command: ['true'] }, 'nodes'],
])(`exec is refused: %j${because}`, async (fields, field) => {
  const { status, json } = await service.post('/jobs', { action: 'exec', workdir: directory, ...fields });
  expect(status).toBe(400);
  expect(json.errors[0].field).toBe(field);
});

it(`restart stops the lab and starts it again${because}`, async () => {
  const job = await run({ action: 'restart' });
  expect(job).toMatchObject({ state: 'success', instance });
  expect(await service.logText(job.id)).toMatch(/is down[^]*starting new instance[^]*is up/);
  expect(await run({ action: 'validate' })).toMatchObject({ state: 'success' });
});

/** The tools for faults and scenarios: the built service with the bundled engine, and real namespaces. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { Assistant, dataIn, jobIn } from '../support/mcp.ts';
import { preparedLabs, ringTopology } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { startProgram } from '../support/service.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });
const probing = testUnless(missingForAnyLabs() ?? requirement('fping').missing);

/** A lab that an assistant has started. */
async function assistantWithLab() {
  const env = { LAB_API_CLI: 'engine', LAB_HOME: home, LAB_API_MCP: 'true' };
  const { url } = await startProgram({ env });
  const assistant = await new Assistant().connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const instance = String(freeInstanceNumber());
  const directory = path.join(root, `mcp-${instance}`);
  mkdirSync(directory);
  takeDownLater({ where: { home, directory }, instance });
  const started = { workdir: directory, multilabId: Number(instance), topology: ringTopology };
  await assistant.tell('wait_for_job', {
    job: jobIn(await assistant.tell('start_lab', started)),
    seconds: 50,
  });
  const ping = async () =>
    assistant.tell('run_in_node', { lab: instance, node: 'h1', command: ['ping', '-c1', '-W1', 'h2'] });
  return { assistant, lab: instance, directory, ping };
}

it(`an assistant breaks a link and a node, sees that, and heals them${because}`, async () => {
  const { assistant, lab, ping } = await assistantWithLab();
  expect(await ping()).toContain('"exitCode": 0');
  const set = { lab, kind: 'down', target: 'r1-r2', ttlSeconds: 600 };
  expect(await assistant.tell('set_fault', set)).toContain('until heal_faults');
  expect(await ping()).toContain('"exitCode": 1');
  await assistant.tell('set_fault', { lab, kind: 'isolated', target: 'r3' });
  expect(dataIn(await assistant.tell('list_links', { lab }))).toMatchObject({
    links: [{ id: '1', state: 'down' }, { state: 'down' }, {}, { state: 'up' }, { state: 'up' }],
    faults: [
      { link: '1', kind: 'down', expiresAt: expect.any(String) },
      { node: 'r3', kind: 'isolated', expiresAt: null },
    ],
  });
  expect(dataIn(await assistant.tell('heal_faults', { lab, link: 'r1-r2' }))).toMatchObject({
    faults: [{ node: 'r3' }],
  });
  await assistant.tell('set_fault', { lab, kind: 'down', target: '5' });
  expect(dataIn(await assistant.tell('heal_faults', { lab, node: 'r3' }))).toMatchObject({
    faults: [{ link: '5' }],
  });
  expect(dataIn(await assistant.tell('heal_faults', { lab }))).toEqual({ faults: [] });
  expect(await ping()).toContain('"exitCode": 0');
  await assistant.client.close();
});

it(`the service's reason for a refused fault reaches the assistant${because}`, async () => {
  const { assistant, lab } = await assistantWithLab();
  const refused: readonly (readonly [object, string])[] = [
    [{ kind: 'down', target: 'r1-h2' }, 'link-not-found'],
    [{ kind: 'isolated', target: 'r9' }, 'node-not-found'],
    [{ kind: 'isolated', target: 'r1', node: 'r1' }, 'there is no field "node"'],
    [{ kind: 'impaired', target: '1' }, 'impairment: is needed with the kind "impaired"'],
    [{ kind: 'impaired', target: '1', impairment: { lost: 1 } }, 'there is no field "lost"'],
    [{ kind: 'killed', target: 'r1', process: 'bgpd' }, 'not-supported'],
  ];
  for (const [given, words] of refused)
    expect(await assistant.call('set_fault', { lab, ...given })).toMatchObject({
      isError: true,
      text: expect.stringContaining(words),
    });
  const nowhere = await assistant.call('list_links', { lab: 'nowhere' });
  expect(nowhere.text).toContain('Call list_labs');
  await assistant.client.close();
});

probing.it(`an assistant runs a scenario and reads its verdicts${probing.because}`, async () => {
  const { assistant, lab, directory } = await assistantWithLab();
  const flows = [{ from: 'h1', to: 'h2', family: 'ipv4' }];
  const scenario = { flows, each: { of: 'link' }, steady: { for: '300ms' }, hold: '1s' };
  const job = jobIn(await assistant.tell('run_scenario', { lab, scenario }));
  const ended = await assistant.tell('wait_for_job', { job, seconds: 50 });
  expect(ended).toContain('(scenario) has failed');
  expect(dataIn(ended)).toMatchObject({
    error: expect.stringContaining('r1-r2 down: h1 → h2'),
    result: {
      complete: true,
      passed: 2,
      failed: 1,
      tests: [
        { name: 'r1-r2 down', outcome: 'failed', reason: expect.stringContaining('without traffic') },
        { name: 'r2-r3 down', outcome: 'passed' },
        { name: 'r3-r1 down', outcome: 'passed' },
      ],
    },
  });
  expect(await assistant.tell('read_log', { job })).toContain('h1 → h2 IPv4');

  writeFileSync(
    path.join(directory, 'one.yml'),
    'flows: [{from: h1, to: h2}]\nsteady: {for: 300ms}\nfaults: [{link: r2-r3}]\nhold: 1s\n',
  );
  const second = jobIn(await assistant.tell('run_scenario', { lab, scenarioPath: 'one.yml' }));
  expect(await assistant.tell('wait_for_job', { job: second, seconds: 50 })).toContain('has succeeded');

  const wrong = await assistant.call('run_scenario', { lab, scenario: { ...scenario, holds: 1 } });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('no field "holds"') });
  const none = await assistant.call('run_scenario', { lab });
  expect(none.text).toContain('scenario: is required');
  await assistant.client.close();
});

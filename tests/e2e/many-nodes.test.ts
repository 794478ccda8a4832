/** One command in all nodes of a lab of the bundled engine, over HTTP and from the command line. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { bareShell } from '../support/remote-lab.ts';
import { runProgram, startProgram, type RunningProgram } from '../support/service.ts';

const { because, home, it, prepared } = preparedLabs({ missing: missingForAnyLabs() });
const { where, instance } = prepared('many', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
    ['r1', 'h3'],
  ],
});

let service: RunningProgram;
beforeAll(async () => {
  if (because !== '') return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
});
afterAll(async () => void (await service?.end()));

const processes = (): number[] =>
  processesWith(`LAB_HOME=${home}`).filter((pid) => pid !== service.run.child.pid);
/** Of each node its number of interfaces, besides the loopback. */
const count = ['sh', '-c', 'ls /sys/class/net | grep -c eth'];

it(`a command runs in the network of each node, and equal answers are joined${because}`, async () => {
  const { status, json } = await service.post(`/labs/${instance}/exec`, { nodes: ['all'], command: count });
  expect(status).toBe(200);
  expect(json.answers).toMatchObject([
    { nodes: ['h1', 'h2', 'h3'], exitCode: 0, output: '1\n' },
    { nodes: ['r1'], exitCode: 0, output: '3\n' },
  ]);
  const groups = await service.post(`/labs/${instance}/exec`, { nodes: ['hosts'], command: count });
  expect(groups.json.detail).toMatch(
    /^nodes\.0: no node or group is called "hosts"; the lab has .*, and no groups/,
  );
});

it(`lab exec prints the answers of equal nodes once${because}`, async () => {
  const env = { ...bareShell, LAB_API_URL: service.url };
  const run = runProgram(['exec', instance, 'h*,r1', '--', 'ping', '-c1', '-W2', '-q', 'h9'], env);
  expect(await run.exit).toBe(2);
  expect(run.output()).toMatch(/^== h\[1-3\], r1 \(exit 2\)\n.*h9/);
});

it(`nothing is left when the client goes away${because}`, async () => {
  const stop = new AbortController();
  const body = { nodes: ['all'], command: ['sh', '-c', 'trap "" TERM HUP INT; sleep 1000 & sleep 1000'] };
  const lost = service.open(`/labs/${instance}/exec`, { method: 'POST', body, signal: stop.signal });
  await eventually('it runs', () => processes().length > 0);
  stop.abort();
  await expect(lost).rejects.toThrow('aborted');
  await eventually('nothing is left', () => processes().length === 0);
});

/** Checks of topologies by the real netlab. */
import { beforeAll, expect } from '@jest/globals';
import { requirement, testUnless } from '../support/requirements.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

const netlab = requirement('netlab');
const { because, it } = testUnless(netlab.missing);
let service: RunningService;
beforeAll(async () => {
  if (netlab.missing !== undefined) return;
  const ground = makeGround();
  service = await startService({ ground, env: { LAB_API_CLI: netlab.file, HOME: ground.root } });
});

const check = async (...lines: readonly string[]) =>
  (await service.post('/topologies/check', { topology: lines.join('\n'), workspace: 'course' })).json;
const head = ['provider: clab', 'defaults.device: frr'];

it(`says nothing of a good topology with a plugin, and of another one where it is wrong${because}`, async () => {
  await service.request('/workspaces/course', { method: 'PUT' });
  const plugin =
    "from netsim.utils import log\ndef init(topology):\n  log.warning(text='it is there',module='own')\n";
  await service.request('/workspaces/course/files/own.py', { method: 'PUT', body: plugin });
  expect(await check(...head, 'plugin: [own]', 'nodes: [r1, r2]', 'links: [r1-r2]')).toMatchObject({
    valid: true,
    problems: [{ severity: 'warning', message: 'it is there' }],
  });
  const nodes = ['nodes:', '  r1:', '  r2:', '    mtu: large', '    rubbish: 1'];
  expect(await check(...head, ...nodes, 'links: [r1-r2]')).toMatchObject({
    valid: false,
    problems: [
      {
        line: 6,
        column: 5,
        node: 'r2',
        message: expect.stringContaining("'nodes.r2.mtu' must be an integer"),
      },
      { line: 7, column: 5, node: 'r2', message: expect.stringContaining("'rubbish'") },
    ],
  });
  expect(
    await check(...head, 'nodes: [r1, r2]', 'links:', '- r1-r2', '- r1:', '  r2:', '    ipv4: 1.2.3'),
  ).toMatchObject({
    valid: false,
    problems: [{ line: 8, column: 5, link: 2 }],
  });
  expect(await check('nodes:', '\tr1:')).toMatchObject({
    problems: [{ line: 2, column: 1, severity: 'error' }],
  });
  expect(await check(...head, 'plugin: [missing]', 'nodes: [r1]')).toMatchObject({
    problems: [{ message: 'Cannot find plugin missing' }],
  });
}, 120_000);

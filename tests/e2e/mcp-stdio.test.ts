import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Assistant, jobIn } from '../support/mcp.ts';
import { builtProgram, startService, topologyThat } from '../support/service.ts';

const login = { LAB_API_USER: 'carol', LAB_API_PASSWORD: 'secret' };

test('an assistant that starts "lab mcp" takes a lab through its life, as the user of LAB_API_USER', async () => {
  const service = await startService({ env: login });
  const { workdir, env } = service.ground;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram, 'mcp'],
    env: { PATH: env['PATH']!, HOME: env['HOME']!, LAB_API_URL: service.url, ...login },
    stderr: 'ignore',
  });
  const assistant = await new Assistant().connect(transport);
  expect((await assistant.client.listTools()).tools.length).toBeGreaterThan(5);
  const id = jobIn(await assistant.tell('start_lab', { workdir, topology: topologyThat() }));
  expect(await assistant.tell('wait_for_job', { job: id, seconds: 20 })).toContain('has succeeded');
  const missing = await assistant.call('lab_status', { lab: 'nowhere' });
  expect(missing.isError).toBe(true);
  for (const words of ['instance-not-found', 'list_labs']) expect(missing.text).toContain(words);
  const stopped = jobIn(await assistant.tell('stop_lab', { lab: 'default' }));
  expect(await assistant.tell('wait_for_job', { job: stopped })).toContain('has succeeded');
  await assistant.client.close();
});

test('it says to its assistant when no lab-api is there, and ends with it', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram, 'mcp', '--server', 'http://127.0.0.1:9'],
    stderr: 'ignore',
  });
  const assistant = await new Assistant().connect(transport);
  const refused = await assistant.call('list_labs');
  expect(refused.isError).toBe(true);
  for (const words of ['127.0.0.1:9', '--server or LAB_API_URL']) expect(refused.text).toContain(words);
  await assistant.client.close();
  // Without the SDK's client, which kills what does not end: the end of the input is enough.
  const child = spawn(process.execPath, [builtProgram, 'mcp'], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('calls that are under way when the input ends are answered', async () => {
  const service = await startService({ env: login });
  const env = { PATH: service.ground.env['PATH']!, LAB_API_URL: service.url, ...login };
  const calls = [
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    ],
    ['tools/call', { name: 'list_labs', arguments: {} }],
  ].map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  const child = spawn(process.execPath, [builtProgram, 'mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(`${calls.join('\n')}\n`);
  const said = (await text(child.stdout)).trim();
  const answers = said.split('\n').map((line) => JSON.parse(line) as { id: number; result?: unknown });
  expect(answers.map(({ id, result }) => [id, result !== undefined])).toEqual([
    [0, true],
    [1, true],
  ]);
});

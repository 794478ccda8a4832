/** The tools for labs, nodes, files and snapshots: the built "lab mcp", the built service, and real namespaces. */
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import path from 'node:path';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { gitMissing, startGitServer } from '../support/git-server.ts';
import { Assistant, dataIn, jobIn, textIn } from '../support/mcp.ts';
import { preparedLabs, ringTopology } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { builtProgram, startProgram } from '../support/service.ts';

const missing = missingForAnyLabs();
const { because, home, it, root, takeDownLater } = preparedLabs({ missing });
const capturing = testUnless(missing ?? requirement('tcpdump').missing);
const fetching = testUnless(gitMissing);

let url: string;
let assistant: Assistant;
let lab: string;
const workspaces = path.join(root, 'workspaces');

async function ended(text: string): Promise<string> {
  const said = await assistant.tell('wait_for_job', { job: jobIn(text), seconds: 50 });
  expect(said).toContain('has succeeded');
  return said;
}

/** A number for a lab in a workspace, which is taken down at the end. */
function numberFor(workspace: string): number {
  const instance = freeInstanceNumber();
  takeDownLater({ where: { home, directory: path.join(workspaces, workspace) }, instance: String(instance) });
  return instance;
}

beforeAll(async () => {
  const env = {
    LAB_API_CLI: 'engine',
    LAB_HOME: home,
    LAB_API_MCP: 'true',
    LAB_API_WORKSPACES_DIR: workspaces,
    LAB_API_GIT_HOSTS: '127.0.0.1',
    GIT_SSL_CAINFO: path.join(root, 'git-server.cert.pem'),
  };
  const service = await startProgram({ env });
  ({ url } = service);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram, 'mcp', '--server', url],
    stderr: 'ignore',
  });
  assistant = await new Assistant().connect(transport);
  if (missing !== undefined) return;
  await assistant.tell('make_workspace', { name: 'ring' });
  await assistant.tell('write_file', { name: 'ring', path: 'topology.yml', content: ringTopology });
  const started = {
    workspace: 'ring',
    multilabId: numberFor('ring'),
    ttlSeconds: 3600,
    waitReadySeconds: 30,
  };
  const { lab: id } = dataIn(await ended(await assistant.tell('start_lab', started))) as { lab: string };
  lab = id;
});

afterAll(async () => assistant.client.close());

test('files of a workspace are written, read with their etag, and removed', async () => {
  await assistant.tell('make_workspace', { name: 'notes' });
  const file = { name: 'notes', path: 'a b/ü.txt' };
  const etag = /etag is ([^ ]+)\.$/.exec(
    await assistant.tell('write_file', { ...file, content: 'one\ntwo' }),
  )?.[1];
  const read = await assistant.tell('read_file', file);
  expect(read).toContain(`The etag is ${etag}.`);
  expect(textIn(read)).toBe('one\ntwo');
  await assistant.tell('write_file', { ...file, content: 'three', etag });
  const late = await assistant.call('write_file', { ...file, content: 'four', etag });
  expect(late).toMatchObject({ isError: true, text: expect.stringContaining('precondition-failed') });
  expect(late.text).toContain('Call read_file');
  expect(textIn(await assistant.tell('read_file', file))).toBe('three');
  expect(dataIn(await assistant.tell('list_files', { name: 'notes', recursive: true }))).toMatchObject({
    files: [{ path: 'a b' }, { path: 'a b/ü.txt', size: 5 }],
  });
  expect(await assistant.tell('remove_file', file)).toBe('Done.');
  const gone = await assistant.call('read_file', file);
  expect(gone.text).toContain('there is no file "a b/ü.txt"');
  await assistant.tell('remove_workspace', { name: 'notes' });
  expect(await assistant.tell('list_workspaces')).not.toContain('"notes"');
});

it(`a lab is found, read and commanded in all of its nodes${because}`, async () => {
  expect(dataIn(await assistant.tell('wait_for_lab', { lab }))).toMatchObject({ id: lab, ready: true });
  const answers = await assistant.tell('run_in_nodes', { lab, nodes: ['r[1-3]'], command: ['echo', 'same'] });
  expect(dataIn(answers)).toMatchObject({ answers: [{ nodes: ['r1', 'r2', 'r3'], output: 'same\n' }] });
  const configurations = textIn(await assistant.tell('read_configuration', { lab, nodes: ['r1', 'h1'] }));
  expect(configurations).toMatch(/^### r1\n[^]*\n### h1\n[^]*sysctl/);
  const found = await assistant.tell('search_labs', { q: 'device:linux' });
  expect(found).toContain('"node": "r3"');
  await assistant.tell('set_lease', { lab, ttlSeconds: 7200 });
  expect(await assistant.tell('list_jobs', { lab, action: 'up' })).toContain('"state": "success"');
  const collected = await assistant.tell('collect_configurations', { lab });
  await ended(collected);
  const { artifacts } = dataIn(await assistant.tell('list_artifacts', { job: jobIn(collected) })) as {
    artifacts: { path: string }[];
  };
  const ofNode = artifacts.find((artifact) => artifact.path.includes('r1'))?.path;
  const file = { job: jobIn(collected), path: ofNode };
  expect(await assistant.tell('read_artifact', file)).toContain('interface eth1');
});

it(`long output is cut in its middle, and long text is read on${because}`, async () => {
  const long = ['seq', '1', '100000'];
  const one = await assistant.tell('run_in_node', { lab, node: 'h1', command: long });
  expect(one).toContain('The answer is cut. Let the command print less');
  expect(one.length).toBeLessThan(45_000);
  expect((dataIn(one) as { output: string }).output).toMatch(
    /^1\n2\n[^]*characters are left out[^]*\n100000\n$/,
  );
  const content = Array.from({ length: 20_000 }, (_none, index) => `line ${index}\n`).join('');
  await assistant.tell('write_file', { name: 'ring', path: 'long.txt', content });
  const first = await assistant.tell('read_file', { name: 'ring', path: 'long.txt' });
  const offset = Number(/call read_file again with offset (\d+)\./.exec(first)?.[1]);
  const second = await assistant.tell('read_file', { name: 'ring', path: 'long.txt', offset });
  expect(content.startsWith(textIn(first) + textIn(second))).toBe(true);
});

capturing.it(`packets are captured as text${capturing.because}`, async () => {
  const where = { lab, node: 'h1', interface: 'eth1' };
  const captured = assistant.tell('capture_packets', { ...where, filter: 'icmp', packets: 2, seconds: 30 });
  const ping = { lab, node: 'h1', command: ['ping', '-c', '20', '-i', '0.2', 'h2'], timeoutSeconds: 30 };
  const [packets] = await Promise.all([captured, assistant.tell('run_in_node', ping)]);
  expect(textIn(packets)).toMatch(/ICMP echo request[^]*ICMP echo reply/);
  const silent = await assistant.tell('capture_packets', { ...where, filter: 'tcp port 7', seconds: 0.2 });
  expect(silent).toBe('No packet came in that time.');
  const wrong = await assistant.call('capture_packets', { ...where, filter: 'bad bad' });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('filter: ') });
});

it(`a lab is kept, compared, and started again as another one${because}`, async () => {
  await assistant.tell('keep_snapshot', { lab, name: 'stage' });
  expect(await assistant.tell('compare_lab', { lab })).toMatch(/^0 of 5 nodes differ\./);
  const address = ['ip', 'address', 'add', '192.0.2.1/32', 'dev', 'lo'];
  await assistant.tell('run_in_node', { lab, node: 'r2', command: address });
  const changed = await assistant.tell('compare_lab', { lab, snapshot: 'stage' });
  expect(changed).toMatch(/^1 of 5 nodes differ\./);
  expect(dataIn(changed)).toMatchObject({
    nodes: [{ node: 'r2', diff: expect.stringContaining('+  address 192.0.2.1/32') }],
    same: ['r1', 'r3', 'h1', 'h2'],
  });
  await assistant.tell('keep_snapshot', { lab, name: 'later' });
  expect(await assistant.tell('compare_snapshots', { name: 'stage', with: 'later' })).toContain('192.0.2.1');
  const wanted = { name: 'stage', workspace: 'again', multilabId: numberFor('again') };
  const restored = await assistant.tell('restore_snapshot', wanted);
  expect(restored).toMatch(/^The jobs continue in the background/);
  const { lab: copy } = dataIn(await ended(restored)) as { lab: string };
  expect(await assistant.tell('list_labs')).toContain(`"id": "${copy}"`);
  await ended(await assistant.tell('stop_lab', { lab: copy, cleanup: true }));
  const { stoppedLabs } = dataIn(await assistant.tell('list_stopped_labs')) as { stoppedLabs: object[] };
  expect(stoppedLabs).toMatchObject([{ workspace: 'again' }]);
  for (const name of ['stage', 'later']) await assistant.tell('remove_snapshot', { name });
  expect(dataIn(await assistant.tell('list_snapshots'))).toMatchObject({ snapshots: [] });
});

it(`a command ends in its node when its call is canceled, over stdio and HTTP${because}`, async () => {
  const overHttp = await new Assistant().connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  for (const [name, one] of [
    ['stdio', assistant],
    ['http', overHttp],
  ] as const) {
    const assignment = `LAB_TEST_MCP=${lab}-${name}`;
    const command = ['env', assignment, 'sleep', '600'];
    const stop = new AbortController();
    const call = one.call('run_in_node', { lab, node: 'h1', command, timeoutSeconds: 45 }, stop.signal);
    const canceled = call.catch(() => 'canceled');
    await eventually('it runs', () => processesWith(assignment).length > 0);
    stop.abort();
    expect(await canceled).toBe('canceled');
    await eventually('it has ended', () => processesWith(assignment).length === 0);
  }
  await overHttp.client.close();
});

fetching.it(`the files of a lab come from Git${fetching.because}`, async () => {
  const server = await startGitServer(root);
  server.repository('course.git').commit({ 'labs/ring/topology.yml': ringTopology });
  const source = { git: `${server.url}course.git`, path: 'labs/ring' };
  const made = await ended(await assistant.tell('create_lab', { source, workspace: 'from-git' }));
  expect(dataIn(made)).toMatchObject({ source: { commit: expect.stringMatching(/^[0-9a-f]{40}$/) } });
  expect(await assistant.tell('list_files', { name: 'from-git' })).toContain('topology.yml');
  const elsewhere = { source: { git: 'https://elsewhere.example/x.git' } };
  expect((await assistant.call('create_lab', elsewhere)).text).toContain('LAB_API_GIT_HOSTS');
});

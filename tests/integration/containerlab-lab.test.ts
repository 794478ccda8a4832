/** A lab of the real containerlab, over HTTP alone: files in, up, what there is of it, into its nodes, results home, down. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { tarGzOf } from '../support/archives.ts';
import {
  containerlab,
  containersOf,
  environment,
  images,
  runJob,
  uniqueLab,
} from '../support/containerlab.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const { because, missing } = containerlab;
const it = missing === undefined ? test : test.skip;
const noTcpdump = missing ?? requirement('tcpdump').missing;
const withTcpdump = noTcpdump === undefined ? test : test.skip;

const lab = uniqueLab('lab');
const topology = `# Two routers between two hosts.
name: ${lab}
topology:
  kinds:
    linux: { image: ${images.host} }
  nodes:
    r1: { kind: linux, image: "${images.router}", group: core, exec: [ip addr add 10.0.1.1/24 dev eth1, ip addr add 10.0.0.1/24 dev eth2, ip route add 10.0.2.0/24 via 10.0.0.2, sysctl -w net.ipv4.ip_forward=1] }
    r2: { kind: linux, image: "${images.router}", group: core, exec: [ip addr add 10.0.2.1/24 dev eth1, ip addr add 10.0.0.2/24 dev eth2, ip route add 10.0.1.0/24 via 10.0.0.1, sysctl -w net.ipv4.ip_forward=1] }
    h1: { kind: linux, exec: [ip addr add 10.0.1.9/24 dev eth1, ip route add 10.0.0.0/16 via 10.0.1.1] }
    h2: { kind: linux, exec: [ip addr add 10.0.2.9/24 dev eth1, ip route add 10.0.0.0/16 via 10.0.2.1] }
  links:
    - endpoints: ["h1:eth1", "r1:eth1"]
    - endpoints: ["r1:eth2", "r2:eth2"]
    - endpoints: ["r2:eth1", "h2:eth1"]
`;

let service: RunningProgram;
let events: EventReader;

beforeAll(async () => {
  if (missing !== undefined) return;
  service = await startProgram({ env: environment });
  const archive = tarGzOf({ name: 'lab.clab.yml', content: topology });
  const put = await service.request(`/workspaces/${lab}`, {
    method: 'PUT',
    body: archive,
    headers: { 'Content-Type': 'application/gzip' },
  });
  if (put.status !== 201) throw new Error(put.text);
  events = new EventReader(await service.open('/events'));
}, 60_000);

const node = (name: string, what: string): string => `/labs/${lab}/nodes/${name}/${what}`;
const exec = async (name: string, ...command: readonly string[]) =>
  (await service.post(node(name, 'exec'), { command })).json;

describe('up', () => {
  it(`of the topology in a workspace${because}`, async () => {
    const { workdir } = (await service.get(`/workspaces/${lab}`)).json;
    const { templates } = (await service.get(`/templates?dir=${workdir}`)).json;
    expect(templates).toMatchObject([{ name: 'lab.clab.yml', title: lab, valid: true, nodes: 4, links: 3 }]);
    const { job, log } = await runJob(service, { action: 'up', workspace: lab });
    expect(job).toMatchObject({ state: 'success', exitCode: 0, error: null, instance: lab, workspace: lab });
    expect(log).toContain('Creating container');
    expect(await containersOf(lab)).toHaveLength(4);
  });

  it(`the status and the list tell its nodes${because}`, async () => {
    const found = (await service.get('/labs')).json.labs.find(({ id }: { id: string }) => id === lab);
    expect(found).toMatchObject({ name: lab, state: 'started', workspace: lab, provider: 'clab' });
    const one = (await service.get(`/labs/${lab}`)).json;
    expect(one.nodes).toHaveLength(4);
    expect(one.nodes).toContainEqual(
      expect.objectContaining({ name: 'r1', device: 'linux', state: 'up', image: images.router }),
    );
    expect(Date.parse(one.startedAt)).toBeGreaterThan(0);
    expect((await service.get('/status')).json[lab]).toHaveLength(4);
    expect(Object.keys((await service.get(`/status/${lab}`)).json)).toEqual([lab]);
    expect((await service.get(`/status/${lab}?output=text`)).text).toContain(`clab-${lab}-h1`);
    expect((await service.get('/status/ct-nobody')).status).toBe(404);
  });

  it(`its topology, and a picture of it${because}`, async () => {
    const { nodes, links } = (await service.get(`/labs/${lab}/topology`)).json;
    expect(nodes.map((one: { name: string; groups: string[] }) => [one.name, one.groups])).toEqual(
      expect.arrayContaining([
        ['h1', []],
        ['r1', ['core']],
      ]),
    );
    expect(links).toHaveLength(3);
    const picture = await service.get(`/labs/${lab}/topology.svg`);
    expect(picture.status).toBe(200);
    expect(picture.text).toMatch(/<svg[^]*h2/);
  });

  it(`the editors' file beside its topology is where its layout starts, and is saved${because}`, async () => {
    const file = `/workspaces/${lab}/files/lab.clab.yml.annotations.json`;
    const text = { id: 't', text: 'Core', position: { x: 5, y: 5 } };
    const annotations = {
      freeTextAnnotations: [text],
      nodeAnnotations: [{ id: 'r1', icon: 'pe', position: { x: 10, y: 20 } }],
    };
    expect((await service.request(file, { method: 'PUT', body: annotations })).status).toBe(201);
    const start = (await service.get(`/labs/${lab}/layout`)).json;
    expect(start).toEqual({ nodes: { r1: { x: 10, y: 20 } }, links: {} });
    const nodes = { r1: { x: 0, y: 0 }, h2: { x: 300, y: 0 } };
    const body = { nodes, links: {} };
    expect((await service.request(`/labs/${lab}/layout`, { method: 'PUT', body })).status).toBe(200);
    expect((await service.get(`/labs/${lab}/layout`)).json).toEqual(body);
    expect((await service.get(file)).json).toEqual({
      freeTextAnnotations: [text],
      nodeAnnotations: [
        { id: 'r1', icon: 'pe', position: nodes.r1 },
        { id: 'h2', position: nodes.h2 },
      ],
    });
  });

  it(`is told by events${because}`, async () => {
    const seen: string[] = [];
    await eventually('the job succeeded', async () => {
      const event = await events.next();
      if (event === undefined) throw new Error('the events have ended');
      seen.push(JSON.stringify(event.data));
      return /"state":"success"/.test(seen.at(-1) ?? '');
    });
    expect(seen.some((data) => data.includes('"action":"up"'))).toBe(true);
  });
});

describe('exec', () => {
  it(`in one node, and the lab carries packets${because}`, async () => {
    expect(await exec('h1', 'sh', '-c', 'cat /etc/hostname; echo e >&2; exit 3')).toMatchObject({
      exitCode: 3,
      output: expect.stringContaining('h1\n'),
    });
    await eventually(
      'h1 reaches h2',
      async () => (await exec('h1', 'ping', '-c1', '-W1', '10.0.2.9')).exitCode === 0,
    );
  });

  it(`as a job, in one node and in all${because}`, async () => {
    const body = { action: 'exec', instance: lab };
    const one = await runJob(service, {
      ...body,
      nodes: ['r1'],
      command: ['sh', '-c', 'echo a; echo b >&2'],
    });
    expect(one.job).toMatchObject({
      state: 'success',
      result: { kind: 'outputs', complete: true, nodes: [{ node: 'r1', output: 'a\nb\n', exitCode: 0 }] },
    });
    const all = await runJob(service, { ...body, nodes: ['*'], command: ['hostname'] });
    const { nodes } = all.job.result;
    const names = nodes.map(({ node: name, output }: { node: string; output: string }) => [name, output]);
    expect(names.toSorted()).toEqual(['h1', 'h2', 'r1', 'r2'].map((name) => [name, `${name}\n`]));
  });

  it(`that fails in a node is a job that failed${because}`, async () => {
    const body = { action: 'exec', instance: lab, nodes: ['h1'] };
    expect((await runJob(service, { ...body, command: ['sh', '-c', 'exit 7'] })).job).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('in h1 the command ended with exit code 7'),
    });
    expect((await runJob(service, { ...body, command: ['no-such-program'] })).job).toMatchObject({
      state: 'failed',
      result: { nodes: [{ node: 'h1', exitCode: 126 }] },
    });
  });

  const odd = [
    ['a b', '', ' ', '  x  ', '\t', 'new\nline', '\n'],
    ["it's", "'", "''", '"', '""', `'"'"'`, '`id`'],
    ['\\', '\\\\', 'a\\b', '\\n', '\\"', "\\'", 'end\\'],
    ['$x', '${HOME}', '$(id)', '*', '?', '[a]', '~', '!', '&', '|', ';', '<', '>', '(', ')', '{a,b}'],
    ['#no comment', 'a#b', '--cmd', '-x', '--', 'a,b', 'a=b', '%s', '{{.Name}}', '<no value>'],
    ['é', '😀', '\u00a0', '\u200b', '\u202e', 'ﬀ', '\u0001', '\u001b[31m', '\u007f'],
  ];

  it.each(odd)(`gives a node the words that a client wrote: %j, %j, %j, …${because}`, async (...words) => {
    const show = ['python3', '-c', 'import json, sys; print("=", json.dumps(sys.argv[1:]))'];
    const body = { action: 'exec', instance: lab, nodes: ['h1'] };
    const { job } = await runJob(service, { ...body, command: [...show, ...words] });
    expect(job.state).toBe('success');
    expect(JSON.parse(job.result.nodes[0].output.slice(2))).toEqual(words);
  });

  it(`output that is JSON is not lost${because}`, async () => {
    const body = { action: 'exec', instance: lab, nodes: ['r1'] };
    const { job } = await runJob(service, { ...body, command: ['ip', '-j', 'link', 'show', 'eth1'] });
    expect(JSON.parse(job.result.nodes[0].output)).toMatchObject([{ ifname: 'eth1' }]);
    expect((await runJob(service, { ...body, command: ['echo', '5'] })).job.result.nodes[0].output).toBe(
      '5\n',
    );
  });
});

describe('in the nodes', () => {
  it(`a terminal${because}`, async () => {
    const terminal = await new TerminalClient(service.url, node('r1', 'terminal')).opened();
    terminal.type('echo "on $(hostname)"; exit\r');
    await terminal.prints(/on r1/);
    await terminal.closed;
  });

  it(`the log of a node${because}`, async () => {
    expect((await service.get(node('r1', 'log'))).status).toBe(200);
  });

  withTcpdump(`packets${noTcpdump === undefined ? '' : ` (skipped: ${noTcpdump})`}`, async () => {
    const message = await service.open(`${node('r1', 'interfaces/eth2/capture')}?packets=2&filter=icmp`);
    expect(message.statusCode).toBe(200);
    const pinging = exec('h1', 'ping', '-c20', '-i0.2', '10.0.2.9');
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).readUInt32LE(0)).toBe(0xa1_b2_c3_d4);
    await pinging;
  });
});

describe('the end', () => {
  it(`collect${because}`, async () => {
    const { job } = await runJob(service, { action: 'collect', instance: lab });
    expect(job).toMatchObject({ state: 'success', error: null });
  });

  it(`restart, the same lab${because}`, async () => {
    const before = (await service.get(`/labs/${lab}`)).json.startedAt;
    expect((await runJob(service, { action: 'restart', instance: lab })).job).toMatchObject({
      state: 'success',
    });
    const after = (await service.get(`/labs/${lab}`)).json;
    expect(after).toMatchObject({ state: 'started' });
    expect(after.startedAt).not.toBe(before);
  });

  it(`a workspace with a lab stays${because}`, async () => {
    const reply = await service.request(`/workspaces/${lab}`, { method: 'DELETE' });
    expect([reply.status, reply.json.code]).toEqual([409, 'workspace-busy']);
  });

  it(`down${because}`, async () => {
    const { job } = await runJob(service, { action: 'down', workspace: lab, cleanup: true });
    expect(job).toMatchObject({ state: 'success', error: null, instance: lab });
    expect(await containersOf(lab)).toEqual([]);
    expect((await service.get(`/labs/${lab}`)).status).toBe(404);
    const { files } = (await service.get(`/workspaces/${lab}/files`)).json;
    expect(files.map((one: { path: string }) => one.path)).not.toContain(`clab-${lab}`);
    // While containers go, nobody knows whether it still has a lab: it is busy for that long.
    await eventually('the workspace is gone', async () => {
      const reply = await service.request(`/workspaces/${lab}`, { method: 'DELETE' });
      if (reply.status !== 204) expect(reply.json.code).toBe('workspace-busy');
      return reply.status === 204;
    });
  });
});

/** What the real containerlab leaves of a lab that was taken down with success: the job tells of it. */
import { expect, test } from '@jest/globals';
import { execFile as start } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { containerlab, docker, environment, images, runJob, uniqueLab } from '../support/containerlab.ts';
import { startProgram } from '../support/service.ts';

const execFile = promisify(start);
const { because, missing } = containerlab;
const it = missing === undefined ? test : test.skip;

const patient = `sh -c "trap 'exit 0' TERM; while :; do sleep 0.1; done"`;

/** One host, which ends when it is told to, and a management network that no other lab has. */
const topologyOf = (name: string): string =>
  JSON.stringify({
    name,
    mgmt: { network: name, 'ipv4-subnet': 'auto' },
    topology: { nodes: { h1: { kind: 'linux', image: images.host, cmd: patient } } },
  });

const networks = async (name: string): Promise<string> =>
  docker('network', 'ls', '--filter', `name=^${name}$`, '--format', '{{.Name}}');

it(`a network without containers is named by the down that leaves it, and by no other${because}`, async () => {
  const service = await startProgram({ env: environment });
  const lab = uniqueLab('net');
  const workdir = service.ground.makeWorkdir('net');
  writeFileSync(path.join(workdir, 'lab.clab.yml'), topologyOf(lab));
  // As an "up" leaves it that was ended before its first container.
  await docker('network', 'create', '--label', 'containerlab', lab);

  const { job: found } = await runJob(service, { action: 'down', workdir });
  expect(found).toMatchObject({ state: 'success', mayHaveLeftLab: false });
  expect(found.warnings).toEqual([expect.stringContaining(`the management network "${lab}" is still there`)]);

  const { job: kept } = await runJob(service, { action: 'down', workdir, keepMgmtNet: true });
  expect(kept).toMatchObject({ state: 'success', warnings: [] });

  expect((await runJob(service, { action: 'up', workdir })).job.state).toBe('success');
  const { job: last } = await runJob(service, { action: 'down', workdir, cleanup: true });
  expect(last).toMatchObject({ state: 'success', warnings: [] });
  expect(await networks(lab)).toBe('');
});

it(`the namespace of a node that was stopped is named${because}`, async () => {
  const service = await startProgram({ env: environment });
  const lab = uniqueLab('park');
  const workdir = service.ground.makeWorkdir('park');
  writeFileSync(path.join(workdir, 'lab.clab.yml'), topologyOf(lab));
  const run = async (action: string, more: object = {}) => {
    const { job } = await runJob(service, { action, workdir, ...more });
    expect(job).toMatchObject({ state: 'success', error: null });
    return job.warnings;
  };
  const namespace = `clab-park-clab-${lab}-h1`;
  await run('up');
  await run('stop-nodes', { nodes: ['h1'], nodeWaitSeconds: 20 });
  expect(await run('down')).toEqual([expect.stringContaining(namespace)]);
  expect(existsSync(`/run/netns/${namespace}`)).toBe(true);
  await execFile('ip', ['netns', 'delete', namespace]);
  await run('up');
  expect(await run('down', { cleanup: true })).toEqual([]);
});

it(`a down that finds no topology says what it leaves, and an up and a down with it remove that${because}`, async () => {
  const service = await startProgram({ env: environment });
  const lab = uniqueLab('gone');
  const workdir = service.ground.makeWorkdir('gone');
  const file = path.join(workdir, 'lab.clab.yml');
  writeFileSync(file, topologyOf(lab));
  expect((await runJob(service, { action: 'up', workdir })).job.state).toBe('success');
  renameSync(file, `${file}.away`);
  const config = `/etc/ssh/ssh_config.d/clab-${lab}.conf`;
  const { job } = await runJob(service, { action: 'down', workdir });
  expect(job).toMatchObject({ state: 'success', error: null });
  expect(job.warnings).toEqual([expect.stringContaining('found no topology of the lab')]);
  expect(job.warnings[0]).toContain(existsSync(config) ? config : '');

  renameSync(`${file}.away`, file);
  expect((await runJob(service, { action: 'up', workdir })).job.state).toBe('success');
  const { job: second } = await runJob(service, { action: 'down', workdir, cleanup: true });
  expect(second).toMatchObject({ state: 'success', warnings: [] });
  expect(existsSync(config)).toBe(false);
  expect(existsSync(`/run/netns/clab-${lab}-h1`)).toBe(false);
  expect(await networks(lab)).toBe('');
});

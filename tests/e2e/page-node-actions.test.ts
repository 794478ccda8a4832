/** In the page: a node of a lab of containerlab is stopped; where the lab CLI stops no single nodes, nothing offers it. */
import { expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { objectionsOn } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { container, dockerAt } from '../support/containerlab-recorded.ts';
import { eventually } from '../support/eventually.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, startProgram } from '../support/service.ts';
import { sshInfoOf } from '../support/ssh.ts';

const { because, it } = testUnless(missingForBrowser);

/** A containerlab that tells of one lab with a node that runs and one that does not, and says what it is told. */
function labWithNodes() {
  const ground = makeGround();
  const workdir = ground.makeWorkdir('lab');
  const cli = path.join(ground.root, 'containerlab');
  const stopped = { State: 'exited', Status: 'Exited (0) 3 minutes ago' };
  const nodes = [container('r1', workdir, 'demo'), container('r2', workdir, 'demo', stopped)];
  mkdirSync(path.join(workdir, 'clab-demo'));
  writeFileSync(path.join(workdir, 'demo.clab.yml'), 'name: demo\n');
  const topology = { nodes: { r1: { index: '0' }, r2: { index: '1' } }, links: [] };
  writeFileSync(path.join(workdir, 'clab-demo', 'topology-data.json'), JSON.stringify(topology));
  writeFileSync(path.join(ground.root, 'status.json'), JSON.stringify({ demo: nodes }));
  const script = 'case "$1" in inspect) cat "$(dirname "$0")/status.json" ;; *) echo "$@" ;; esac';
  writeFileSync(cli, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ground, cli };
}

it(`a node is stopped, and one that is stopped is started${because}`, async () => {
  const { ground, cli } = labWithNodes();
  const socket = path.join(ground.root, 'docker.sock');
  dockerAt(socket);
  const env = { LAB_API_CLI: cli, DOCKER_HOST: `unix://${socket}` };
  const service = await startProgram({ ground, env });
  const { page, complaints } = await visit();
  const asked = async (): Promise<string[]> => {
    const { jobs } = (await service.get('/jobs')).json;
    return jobs.map(({ action, request }: { action: string; request: { nodes: string[] } }) =>
      [action, ...request.nodes].join(' '),
    );
  };
  await page.goto(`${service.url}/ui/labs/demo?node=r1`);
  await page.getByRole('button', { name: 'Start or stop r1' }).waitFor();
  expect(await objectionsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start or stop r1' }).click();
  await page.getByRole('menuitem', { name: 'Restart', exact: true }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Start', exact: true }).count()).toBe(0);
  await page.getByRole('menuitem', { name: 'Stop', exact: true }).click();
  await eventually('the job is there', async () => (await asked()).includes('stop-nodes r1'));

  await page.goto(`${service.url}/ui/labs/demo?node=r2`);
  await page.getByRole('button', { name: 'Start or stop r2' }).click();
  await page.getByRole('menuitem', { name: 'Start', exact: true }).click();
  await eventually('the job is there', async () => (await asked()).includes('start-nodes r2'));
  // containerlab runs no tests of labs, and is not asked for them.
  await page.getByText('This lab has no tests: containerlab does not support them.').waitFor();
  expect(complaints).toEqual([]);
  await look(page, 'node-actions');

  // On a phone, the node is above the page: the first key does no more than close it.
  await page.setViewportSize({ width: 360, height: 740 });
  const close = page.getByRole('button', { name: 'Close r2' });
  await close.click();
  await page.getByRole('table', { name: 'Nodes' }).getByRole('button', { name: 'r2' }).click();
  await close.and(page.locator(':focus')).waitFor();
});

it(`a node shows how ssh reaches it, where the server has a gateway for it${because}`, async () => {
  const { ground, cli } = labWithNodes();
  const socket = path.join(ground.root, 'docker.sock');
  dockerAt(socket);
  const env = { LAB_API_CLI: cli, DOCKER_HOST: `unix://${socket}`, LAB_API_SSH_PORT: '0' };
  const service = await startProgram({ ground, env });
  const ssh = await sshInfoOf(service);
  const { page, complaints } = await visit();
  await page.goto(`${service.url}/ui/labs/demo?node=r1`);
  await page.getByText(`ssh -p ${ssh.port} r1.demo@127.0.0.1`, { exact: true }).waitFor();
  await page.getByText(`Host key: ${ssh.fingerprint}`, { exact: true }).waitFor();
  expect(await objectionsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy the command' }).click();
  await page.getByText('The command was copied').waitFor();
  await look(page, 'node-ssh');
  expect(complaints).toEqual([]);
});

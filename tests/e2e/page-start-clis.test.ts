/** The page of labs and the dialog that starts one, by the lab CLI. */
import { expect } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { missingForBrowser } from '../support/browser.ts';
import { actionsOf, openLabs } from '../support/page-of-labs.ts';
import { fixtureProgram, writeProgram } from '../support/programs.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, startProgram, topologyThat } from '../support/service.ts';

const { because, it: inBrowser } = testUnless(missingForBrowser);
const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];

/** The job whose page is shown. */
const jobOn = (url: string): string => /\/jobs\/(job-[\w-]+)/.exec(url)?.[1] ?? '';

inBrowser(`chooses the lab CLI of the topology, whose options follow${because}`, async () => {
  const ground = makeGround();
  const service = await startProgram({
    ground,
    env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(',') },
  });
  const file = path.join(ground.workdir, 'one.clab.yml');
  writeFileSync(file, 'name: one\ntopology: { nodes: { h1: {} } }\n');
  const { page } = await openLabs(service, `?start=${encodeURIComponent(`template:${file}`)}`);
  const choice = page.getByLabel('Lab CLI');
  await page.locator('option:checked', { hasText: 'containerlab' }).waitFor({ state: 'attached' });
  expect(await choice.inputValue()).toBe('containerlab');
  await page.getByRole('button', { name: 'More options' }).click();
  await page.getByLabel('Reconfigure').waitFor();
  expect(await page.getByLabel('Lab ID', { exact: true }).count()).toBe(0);
  await choice.selectOption('netlab');
  await page.getByLabel('Lab ID', { exact: true }).waitFor();
  expect(await page.getByLabel('Reconfigure').count()).toBe(0);
  await choice.selectOption('containerlab');
  await page.getByRole('button', { name: 'Start the lab' }).click();
  await page.waitForURL(/\/jobs\/job-/);
  expect(await service.ended(jobOn(page.url()))).toMatchObject({ state: 'success', cli: 'containerlab' });
});

inBrowser(
  `a lab of netlab is restarted with its number, and started again from its files${because}`,
  async () => {
    const ground = makeGround();
    const state = ground.env['FAKE_LAB_STATE'] ?? '';
    const service = await startProgram({ ground });
    const { page } = await openLabs(service, '?start=text');
    await page.getByRole('button', { name: 'Start the lab' }).click();
    await page.waitForURL(/\/jobs\/job-/);
    const up = await service.ended(jobOn(page.url()));
    expect(up).toMatchObject({ state: 'success', request: { multilabId: 'auto' } });
    const { instance, workspace, workdir } = up;
    const topology = path.join(workdir, 'topology.yml');
    const input = JSON.stringify([topology]);
    const multilab = JSON.stringify({ id: Number(instance) });
    writeFileSync(
      path.join(state, 'inspect-hook'),
      `case $word in
      input) echo '${input}'; exit ;;
      defaults.plugin) echo '[]'; exit ;;
      defaults.multilab) echo '${multilab}'; exit ;;
    esac\n`,
    );

    await page.goto(`${service.url}/ui/`);
    await actionsOf(page, instance).click();
    await page.getByRole('menuitem', { name: 'Restart…' }).click();
    await page.getByRole('button', { name: 'Restart the lab' }).click();
    await page.getByText('is being restarted').waitFor();
    const { jobs } = (await service.get('/jobs?action=restart')).json;
    expect(await service.ended(jobs[0].id)).toMatchObject({
      state: 'success',
      instance,
      command: expect.arrayContaining([`NETLAB_MULTILAB_ID=${instance}`]),
    });

    await service.ended(await service.start({ action: 'down', instance }));
    rmSync(topology);
    for (const name of ['netlab.snapshot.pickle', 'clab.yml', 'hosts.yml'])
      writeFileSync(path.join(workdir, name), 'all: {}\nprefix: ""\nmgmt: {}\ntopology: {}\n');
    await page.goto(`${service.url}/ui/?start=${encodeURIComponent(`workspace:${workspace}`)}`);
    await page.getByText(/^The last lab of this workspace is started again, .* netlab has kept\.$/).waitFor();
    expect(await page.getByLabel('Lab ID', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Start the lab' }).click();
    await page.waitForURL(/\/jobs\/job-/);
    const again = await service.ended(jobOn(page.url()));
    expect(again).toMatchObject({ state: 'success', instance, workdir, request: { snapshot: true } });
    expect(again.request).not.toHaveProperty('multilabId');
  },
);

inBrowser(`shows the labs of the others, and names the lab CLI that does not answer${because}`, async () => {
  const ground = makeGround();
  const broken = path.join(ground.root, 'bin/containerlab');
  mkdirSync(path.dirname(broken));
  writeProgram(broken, 'exit 1');
  const LAB_API_CLIS = [fixtureProgram('fake-netlab'), broken].join(',');
  const service = await startProgram({ ground, env: { LAB_API_CLI: undefined, LAB_API_CLIS } });
  const { page } = await openLabs(service);
  await page.getByRole('status').filter({ hasText: 'No answer from containerlab' }).waitFor();
  expect(await page.getByText('No lab is running').count()).toBe(0);
  await service.ended(
    await service.start({ action: 'up', workdir: ground.workdir, topology: topologyThat() }),
  );
  await page.getByRole('link', { name: /demo/ }).first().waitFor();
});

/** The page of labs and the dialog that starts one, on a server with several lab CLIs. */
import { expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { missingForBrowser } from '../support/browser.ts';
import { openLabs } from '../support/page-of-labs.ts';
import { fixtureProgram, writeProgram } from '../support/programs.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, startProgram, topologyThat } from '../support/service.ts';

const { because, it: inBrowser } = testUnless(missingForBrowser);
const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];

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
  const [, id = ''] = /\/jobs\/(job-[\w-]+)/.exec(page.url()) ?? [];
  expect(await service.ended(id)).toMatchObject({ state: 'success', cli: 'containerlab' });
});

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

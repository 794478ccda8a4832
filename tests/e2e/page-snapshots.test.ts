/** In the page: a lab is kept as a snapshot, and shows what has changed in its nodes since. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, root, it, takeDownLater } = preparedLabs({ missing });
const id = String(freeInstanceNumber());
const workdir = path.join(root, `kept-${id}`);

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  mkdirSync(workdir);
  takeDownLater({ where: { home, directory: workdir }, instance: id });
  const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';
  writeFileSync(path.join(workdir, 'topology.yml'), topology);
  service = await startProgram({ ground: makeGround(), env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  const up = await service.start({ action: 'up', workdir, multilabId: Number(id) });
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
});
afterAll(async () => void (await service?.end()));

it(`a lab is kept, and its nodes are compared with what was kept${because}`, async () => {
  const { page, complaints } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}`);
  const open = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'Snapshots', exact: true }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await open('Changes since the last one…');
  const dialog = page.getByRole('dialog');
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await dialog.getByText(/there is no snapshot of the lab/).waitFor();
  await close();
  await open('Keep a snapshot…');
  await dialog.getByLabel('Name').fill('Stage 1');
  expect(await dialog.getByRole('button', { name: 'Keep', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('Name').fill('stage-1');
  expect(await problemsInLooks(page, 'snapshot-asked')).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
  await dialog.getByText('lab snapshot restore stage-1').waitFor();
  await close();
  await open('Changes since the last one…');
  await dialog.getByText('No configuration has changed.').waitFor();
  const command = ['ip', 'address', 'add', '10.99.0.1/24', 'dev', 'eth1'];
  await service.request(`/labs/${id}/nodes/h1/exec`, { method: 'POST', body: { command } });
  await dialog.getByRole('button', { name: 'Read again' }).click();
  await dialog.getByRole('region', { name: 'Changes of h1' }).getByText('+  address 10.99.0.1/24').waitFor();
  expect(await problemsInLooks(page, 'snapshot-changes', { part: '[role="dialog"]' })).toEqual([]);
  // Before there is a snapshot, the reply is a 404.
  expect(complaints.filter((text) => !text.includes(`/labs/${id}/diff`))).toEqual([]);
}, 120_000);

/** In the page: a link of a real lab is cut, which all can see, and healed. */
import { expect } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { objectionsOn } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram } from '../support/service.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({
  missing: missingForBrowser ?? missingForAnyLabs(),
});

it(`a click on a link cuts it, and another one heals it${because}`, async () => {
  const service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  const id = freeInstanceNumber();
  const where = { home, directory: path.join(root, `faults-${id}`) };
  mkdirSync(where.directory);
  takeDownLater({ where, instance: String(id) });
  const topology = 'defaults.device: linux\nnodes: { r1: { role: router }, h1: }\nlinks: [ h1-r1 ]\n';
  const up = await service.start({ action: 'up', workdir: where.directory, multilabId: id, topology });
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
  const faults = async () => ((await service.get(`/labs/${id}`)).json as { faults: unknown[] }).faults;

  const { page, complaints } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}`);
  const line = page.locator('.react-flow__edge path').last();
  await line.click({ force: true });
  await page.getByRole('dialog', { name: /^Link h1 eth1 – r1 eth1$/ }).waitFor();
  expect(await objectionsOn(page)).toEqual([]);
  await page.getByLabel('Heal after').fill('5');
  await page.getByRole('button', { name: 'Cut', exact: true }).click();
  await page.getByRole('status', { name: 'States of the nodes' }).getByText('1 fault').waitFor();
  expect(await page.locator('.react-flow__edge.broken').count()).toBe(1);
  expect(await faults()).toMatchObject([{ link: '1', kind: 'down', expiresAt: expect.any(String) }]);
  await look(page, 'faults');

  await line.click({ force: true });
  await page.getByText(/It is broken on purpose: down, until /).waitFor();
  await page.getByRole('button', { name: 'Heal', exact: true }).click();
  await eventually(
    'nothing is broken',
    async () => (await page.locator('.react-flow__edge.broken').count()) === 0,
  );
  expect(await faults()).toEqual([]);
  expect(complaints).toEqual([]);
});

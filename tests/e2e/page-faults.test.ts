/** In the page: links and nodes of a real lab are broken, which all can see, and healed; and the pictures of a scenario. */
import { beforeAll, expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit, within } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, it, root, takeDownLater } = preparedLabs({ missing });

let service: RunningProgram;
const id = String(freeInstanceNumber());
const topology = `
defaults.device: linux
nodes: { r1: { role: router }, h1: , h2: }
links: [ h1-r1, h2-r1 ]
`;

beforeAll(async () => {
  if (missing !== undefined) return;
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  const where = { home, directory: path.join(root, `faults-${id}`) };
  mkdirSync(where.directory);
  takeDownLater({ where, instance: id });
  const request = { action: 'up', workdir: where.directory, multilabId: Number(id), topology };
  expect(await service.ended(await service.start(request))).toMatchObject({ state: 'success' });
});

const faults = async () => ((await service.get(`/labs/${id}`)).json as { faults: unknown[] }).faults;
const linkIn = (page: Page, name: RegExp) => page.getByRole('button', { name });
const nothingIsBroken = async (page: Page) =>
  eventually(
    'nothing is broken',
    async () => (await page.locator('.react-flow__viewport .broken').count()) === 0,
  );

it(`a click on a link cuts it, and another one heals it${because}`, async () => {
  const { page, complaints } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}`);
  const line = page.locator('.react-flow__edge[aria-label^="link h1-r1, "] path').last();
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
  await page.getByText(/It is broken on purpose: cut, until \S/).waitFor();
  await page.getByRole('button', { name: 'Heal', exact: true }).click();
  await nothingIsBroken(page);
  expect(await faults()).toEqual([]);
  expect(complaints).toEqual([]);
});

it(`a link is reached, impaired and healed with the keyboard${because}`, async () => {
  const { page } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}`);
  const link = linkIn(page, /^link h1-r1, eth1 /);
  await link.waitFor();
  await page.getByRole('button', { name: 'Fill the window' }).focus();
  await page.keyboard.press('Tab');
  await page.locator(':focus').and(link).waitFor();
  const halo = link.locator('path').last();
  expect(await within(halo, 'Number(getComputedStyle(element).strokeOpacity)')).toBeGreaterThan(0.3);
  await look(page, 'link-focus');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Link h1 eth1 – r1 eth1' }).waitFor();
  await page.getByRole('button', { name: 'Impair…' }).press('Enter');
  await page.locator(':focus').and(page.getByLabel('Delay')).waitFor();
  await page.keyboard.type('50');
  expect(await objectionsOn(page)).toEqual([]);
  await look(page, 'link-impair');
  const replied = page.waitForResponse((reply) => reply.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Impair', exact: true }).press('Enter');
  const reply = await replied;
  expect(reply.request().postDataJSON()).toMatchObject({ kind: 'impaired', impairment: { delayMs: 50 } });
  // Not every kernel has netem.
  if (reply.ok()) {
    await linkIn(page, /^link h1-r1, impaired, eth1 /).waitFor();
    await page.keyboard.press('Space');
  } else {
    const { detail } = (await reply.json()) as { detail: string };
    await page.getByRole('alert').getByText(detail).waitFor();
  }
  await page.getByRole('button', { name: 'Cut', exact: true }).press('Enter');

  await page
    .locator(':focus')
    .and(linkIn(page, /^link h1-r1, down, eth1 /))
    .waitFor();
  expect(await faults()).toMatchObject([{ link: '1', kind: 'down' }]);
  await look(page, 'link-focus-down');
  await page.keyboard.press('Space');
  await page.getByText('It is broken on purpose: cut.').waitFor();
  expect(await page.getByRole('button', { name: 'Cut', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Heal', exact: true }).press('Enter');
  await page.locator(':focus').and(link).waitFor();
  expect(await faults()).toEqual([]);
});

it(`a node is isolated, which its drawer, the table and the picture show, and healed${because}`, async () => {
  const { page } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}?node=r1`);
  const open = page.getByRole('button', { name: 'Break or heal r1' });
  await open.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Node r1' });
  await dialog.waitFor();
  expect(await objectionsOn(page)).toEqual([]);
  expect(await dialog.getByRole('button', { name: 'Kill' }).isDisabled()).toBe(true);
  // Nodes of this lab CLI run no processes.
  for (const [button, body] of [
    ['Pause', { kind: 'paused' }],
    ['Kill', { kind: 'killed', process: 'bgpd' }],
  ] as const) {
    if (button === 'Kill') await dialog.getByLabel('Process to kill').fill('bgpd');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await dialog.getByRole('button', { name: button }).click();
    expect((await sent).postDataJSON()).toEqual(body);
    const refusal = await service.request(`/labs/${id}/nodes/r1/fault`, { method: 'PUT', body });
    expect(refusal.status).toBe(422);
    await dialog.getByText((refusal.json as { detail: string }).detail).waitFor();
  }
  await look(page, 'node-refused');
  await dialog.getByRole('button', { name: 'Isolate' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('region', { name: 'r1' }).getByText('isolated').first().waitFor();
  await page.getByRole('row', { name: /^r1 .*isolated/ }).waitFor();
  await page.getByRole('button', { name: /^r1 isolated, linux, / }).waitFor();
  for (const end of ['h1', 'h2']) await linkIn(page, new RegExp(`^link ${end}-r1, down, `)).waitFor();
  expect(await faults()).toMatchObject([{ link: null, node: 'r1', kind: 'isolated' }]);
  expect(await problemsInLooks(page, 'node-isolated', { isReady: async () => open.waitFor() })).toEqual([]);

  await open.press('Enter');
  await dialog.getByText('It is broken on purpose: isolated.').waitFor();
  await dialog.getByRole('button', { name: 'Heal', exact: true }).click();
  await nothingIsBroken(page);
  expect(await faults()).toEqual([]);

  // From a link that is down for it, too.
  await service.request(`/labs/${id}/nodes/r1/fault`, { method: 'PUT', body: { kind: 'isolated' } });
  await linkIn(page, /^link h1-r1, down, /).press('Space');
  const ofLink = page.getByRole('dialog', { name: 'Link h1 eth1 – r1 eth1' });
  await ofLink.getByText(/^Its node r1 is broken on purpose: isolated\. The link stays down/).waitFor();
  expect(await objectionsOn(page)).toEqual([]);
  await look(page, 'link-of-isolated');
  await ofLink.getByRole('button', { name: 'Heal r1' }).click();
  await nothingIsBroken(page);
  expect(await faults()).toEqual([]);
});

const probing = testUnless(missing ?? requirement('fping').missing);

probing.it(
  `the matrix and the timeline of a scenario are shown once it has ended${probing.because}`,
  async () => {
    const scenario = {
      flows: [{ from: 'h1', to: 'h2' }],
      steady: { for: '300ms', within: '20s' },
      faults: [{ link: 'h1-r1' }, { link: 'h2-r1', kind: 'silent' }],
      hold: '1s',
    };
    writeFileSync(path.join(root, `faults-${id}`, 'both-links.yml'), JSON.stringify(scenario));
    const job = await service.start({ action: 'scenario', instance: id, scenarioPath: 'both-links.yml' });
    const { page, complaints } = await visit();
    await page.goto(`${service.url}/ui/jobs/${job}`);
    await page.getByText('running', { exact: true }).first().waitFor();
    const matrix = page.getByRole('tab', { name: 'Matrix' });
    expect(await matrix.count()).toBe(0);
    expect(await service.ended(job)).toMatchObject({ state: 'failed', exitCode: 1 });
    for (const [name, alt] of [
      ['Matrix', /^How long each flow was without traffic/],
      ['Timeline', /^When each flow was without traffic/],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      const picture = page.getByRole('tabpanel', { name }).getByRole('img', { name: alt });
      await picture.waitFor();
      await eventually(
        'the picture is drawn',
        async () => (await within<number>(picture, 'element.naturalWidth')) > 300,
      );
      expect(await problemsInLooks(page, `scenario-${name.toLowerCase()}`)).toEqual([]);
    }
    await page.goto(`${service.url}/ui/jobs?action=scenario`);
    await page.getByRole('cell', { name: 'scenario both-links.yml' }).waitFor();
    expect(await problemsInLooks(page, 'jobs-scenario')).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

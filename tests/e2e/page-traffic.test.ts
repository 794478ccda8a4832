/** In the page: the traffic of the links of a real lab, and the packets that they lose. */
import { beforeAll, expect } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit, within } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { People } from '../support/people.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startService, type RunningService } from '../support/service.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, it, root, takeDownLater } = preparedLabs({ missing });
const people = new People({ otto: { role: 'operator' }, vera: { role: 'viewer' } });

let service: RunningService;
const id = String(freeInstanceNumber());
const topology = `
defaults.device: linux
nodes: { r1: { role: router }, h1: , h2: , h3: }
links: [ h1-r1, h2-r1-h3 ]
`;

beforeAll(async () => {
  if (missing !== undefined) return;
  const env = { LAB_API_CLI: 'engine', LAB_HOME: home };
  service = await startService({ env, admit: people.admit, client: { headers: people.as('otto') } });
  const where = { home, directory: path.join(root, `traffic-${id}`) };
  mkdirSync(where.directory);
  takeDownLater({ where, instance: id });
  const request = { action: 'up', workdir: where.directory, multilabId: Number(id), topology };
  expect(await service.ended(await service.start(request))).toMatchObject({ state: 'success' });
});

async function openLab(user: string): Promise<Page> {
  const { page } = await visit({ extraHTTPHeaders: people.as(user) });
  await page.goto(`${service.url}/ui/labs/${id}`);
  await page.getByRole('button', { name: /^h3 linux/ }).waitFor();
  return page;
}

const exec = async (node: string, ...command: string[]) =>
  service.post(`/labs/${id}/nodes/${node}/exec`, { command, timeoutSeconds: 120 });

/** Sends until `during` is over. */
async function whilePinging(from: string, to: string, during: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const command = ['ping', '-q', '-i', '0.002', '-s', '1000', to];
  const sent = service.open(`/labs/${id}/nodes/${from}/exec`, {
    method: 'POST',
    body: { command, timeoutSeconds: 300 },
    signal: stop.signal,
  });
  try {
    await during();
  } finally {
    stop.abort();
    await sent.then(
      (message) => message.destroy(),
      () => undefined,
    );
  }
}

const line = (page: Page, name: string): Locator =>
  page.locator(`.react-flow__edge[aria-label^="link ${name}, "]`);
const rateAt = (page: Page, name: string): Locator =>
  line(page, name).locator('text', { hasText: /^\d[\d.]* \w+\/s/ });
const widthAt = async (page: Page, name: string): Promise<number> =>
  within(
    line(page, name).locator('path').first(),
    'Number.parseFloat(getComputedStyle(element).strokeWidth)',
  );
const legend = (page: Page): Locator => page.getByRole('status', { name: 'States of the nodes' });

it(`a ping makes the lines on its way thick, and they tell its rate${because}`, async () => {
  const page = await openLab('otto');
  expect(await rateAt(page, 'h1-r1').count()).toBe(0);
  const toggle = page.getByRole('button', { name: 'Traffic' });
  await toggle.click();
  expect(await toggle.getAttribute('aria-pressed')).toBe('true');
  await rateAt(page, 'h1-r1').waitFor();
  await whilePinging('h1', 'h2', async () => {
    await line(page, 'h1-r1').getByText('KiB/s').waitFor();
    await line(page, 'h2-172.16.0.0/24').or(line(page, 'h2-172.16.1.0/24')).getByText('KiB/s').waitFor();
    expect(await line(page, 'h1-r1').getAttribute('aria-label')).toMatch(
      /^link h1-r1, eth1, eth1, [\d.]+ KiB\/s$/,
    );
    await eventually('the line is thick', async () => (await widthAt(page, 'h1-r1')) > 4);
    expect(await problemsInLooks(page, 'traffic')).toEqual([]);

    await line(page, 'h1-r1').locator('path').last().click({ force: true });
    const dialog = page.getByRole('dialog', { name: 'Link h1 eth1 – r1 eth1' });
    const end = dialog.getByRole('row', { name: /^h1 eth1 [\d.]+ KiB\/s\s*\d+ packets\/s/ });
    await end.waitFor();
    await dialog.getByRole('button', { name: 'Cut', exact: true }).waitFor();
    expect(await problemsInLooks(page, 'traffic-link')).toEqual([]);
  });
  await page.keyboard.press('Escape');
  await line(page, 'h1-r1')
    .getByText(/^\d+ B\/s$/)
    .waitFor();
});

it(`a link that loses packets says so in words, and a lab without the wish shows no traffic${because}`, async () => {
  const page = await openLab('otto');
  await page.getByRole('button', { name: 'Traffic' }).click();
  await rateAt(page, 'h1-r1').waitFor();
  // A veth(4) drops what is longer than its peer takes.
  await exec('r1', 'ip', 'link', 'set', 'eth1', 'mtu', '600');
  await whilePinging('h1', 'h2', async () => {
    await line(page, 'h1-r1')
      .getByText(/\d lost$/)
      .waitFor();
    await legend(page).getByText('1 link loses packets').waitFor();
    await page.locator('.react-flow__edge.lossy').first().waitFor();
    expect(await problemsInLooks(page, 'traffic-lost')).toEqual([]);
    await line(page, 'h1-r1').press('Enter');
    await page.getByRole('dialog').getByRole('table', { name: 'Traffic' }).waitFor();
    await page.keyboard.press('Escape');
  });
  await page.reload();
  await rateAt(page, 'h1-r1').waitFor();
  await page.getByRole('button', { name: 'Traffic' }).click();
  await rateAt(page, 'h1-r1').waitFor({ state: 'detached' });
  expect(await page.locator('.react-flow__edge.lossy').count()).toBe(0);
  await exec('r1', 'ip', 'link', 'set', 'eth1', 'mtu', '1500');
});

it(`a viewer sees the traffic of both ends of a link, and no way to break it${because}`, async () => {
  const page = await openLab('vera');
  expect(await page.getByRole('button', { name: /^link h1-r1/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Traffic' }).click();
  await page.getByRole('button', { name: /^link h1-r1, eth1, eth1, \d+ B\/s$/ }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Link h1 eth1 – r1 eth1' });
  await dialog.getByRole('row', { name: /^r1 eth1 \d+ B\/s/ }).waitFor();
  expect(await dialog.getByRole('button').count()).toBe(1);
});

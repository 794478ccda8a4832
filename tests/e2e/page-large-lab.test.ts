/** The page of a lab with 300 nodes, in a browser. */
import { describe, expect, jest, test } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { writeLabCli } from '../../scripts/bench/lab-cli.mjs';
import { objectionsOn } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { makeGround, startService } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

jest.setTimeout(180_000);

const size = 300;
const nodeIn = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${name} `) });
const people = new People({ vera: { role: 'viewer' }, olga: { role: 'operator' } });

async function serviceWithLab() {
  const ground = makeGround();
  const cli = path.join(ground.root, 'cli');
  mkdirSync(cli);
  return startService({
    ground,
    env: { LAB_API_CLI: writeLabCli(cli, [size]) },
    admit: people.admit,
    client: { headers: people.as('olga') },
  });
}

async function open(name: string) {
  const service = await serviceWithLab();
  const visitor = await visit({ extraHTTPHeaders: people.as(name) });
  // To lay out 300 nodes takes seconds of a processor, and longer where others have it.
  visitor.page.setDefaultTimeout(90_000);
  await visitor.page.goto(`${service.url}/ui/labs/${size}`);
  await nodeIn(visitor.page, 's1').waitFor();
  return { ...visitor, service };
}

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'a lab of 300 nodes', () => {
  test('is seen as a whole, with a map, and a node of it is found by its name', async () => {
    const { page, complaints } = await open('olga');
    const boxes = page.getByRole('button', { name: /^[slh]\d+ frr, / });
    expect(await boxes.count()).toBe(size);
    await page.getByRole('img', { name: 'Map of the whole picture' }).waitFor();
    await page.getByRole('status', { name: 'States of the nodes' }).getByText('7 down').waitFor();
    await look(page, 'lab-300');

    const search = page.getByRole('combobox', { name: 'Find a node' });
    await search.fill('h200');
    await page.getByRole('option', { name: 'h200' }).click();
    await page.locator(':focus').and(nodeIn(page, 'h200')).waitFor();
    // Only what can be seen is drawn.
    expect(await boxes.count()).toBeLessThan(size / 2);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'h200', level: 2 }).waitFor();
    await look(page, 'lab-300-near');
    expect(await objectionsOn(page)).toEqual([]);
    // The lab CLI of this test cannot list tests, which is one complaint: there are no others.
    expect(complaints.filter((one) => !one.includes('502'))).toEqual([]);
  });

  variant('has all its nodes in the table once that is wanted', async () => {
    const { page } = await open('olga');
    const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row');
    expect(await rows.count()).toBeLessThan(size);
    await page.getByRole('button', { name: 'State', exact: true }).click();
    await rows.nth(1).getByText('down').waitFor();
    await page.getByRole('button', { name: `Show all ${size} nodes` }).click();
    await rows.nth(size).waitFor();
    expect(await rows.count()).toBe(1 + size);
  });

  variant('a viewer moves nothing in it', async () => {
    const { page, service } = await open('vera');
    const box = await nodeIn(page, 's1').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y + 100, { steps: 5 });
    await page.mouse.up();
    expect(await page.getByRole('button', { name: 'Reset the layout' }).count()).toBe(0);
    // That the picture moved as a whole, and no node in it: the next one who asks finds an empty layout.
    expect((await service.get(`/labs/${size}/layout`)).json).toEqual({ nodes: {}, links: {} });
  });
});

/** The search for addresses on the labs page and in the search dialog, in a browser. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { isLive } from '../support/page.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    service = await startProgram();
    const { workdir } = service.ground;
    await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
    const inspected = path.resolve(__dirname, '../fixtures/netlab/inspect.json');
    copyFileSync(inspected, path.join(workdir, 'netlab.snapshot.pickle'));
  });

  async function open() {
    const visitor = await visit();
    await visitor.page.goto(`${service.url}/ui/`);
    await isLive(visitor.page);
    const { page } = visitor;
    return {
      ...visitor,
      field: page.getByRole('textbox', { name: 'Search labs' }),
      table: page.getByRole('table', { name: 'Found in labs' }),
    };
  }

  test('an address is found with the node that has it, and the node is opened', async () => {
    const { page, complaints, field, table } = await open();
    await field.fill('10.1.0.2');
    await table.getByRole('row', { name: 'default r2 eth1 10.1.0.2/30 has it interface' }).waitFor();
    await table.getByRole('row', { name: 'default r1 eth2, r2 eth1 10.1.0.0/30 contains it link' }).waitFor();
    expect(await problemsInLooks(page, 'search')).toEqual([]);
    await table.getByRole('link', { name: 'r2' }).first().click();
    await page.waitForURL('**/ui/labs/default?node=r2');
    expect(complaints).toEqual([]);
  });

  test('half an address gets a hint, and a name is searched in the list', async () => {
    const { page, field, table } = await open();
    await field.fill('10.1.');
    await page.getByText('"10.1." is no address or prefix: give an address (10.1.0.5').waitFor();
    await field.fill('module:ospf');
    await table.getByRole('row', { name: 'default r2 ospf has it module' }).waitFor();
    await field.fill('192.0.2.1');
    await page.getByText('Nothing was found.').waitFor();
    await field.fill('no.such.name');
    await page.getByText('No lab matches').waitFor();
    expect(await table.count()).toBe(0);
  });

  test('the search dialog leads to it', async () => {
    const { page, table } = await open();
    await page.keyboard.press('Control+k');
    await page.locator(':focus[placeholder]').waitFor();
    await page.keyboard.type('10.0.0.2');
    await page.getByText('search in all labs').waitFor();
    await page.keyboard.press('Enter');
    await table.getByRole('row', { name: 'default r2 10.0.0.2/32 has it loopback' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=10.0.0.2');
  });
});

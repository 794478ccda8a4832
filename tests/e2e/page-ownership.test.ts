/** The page where users may change their own labs alone: it offers for each lab what its user may do with that lab. */
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, topologyThat } from '../support/service.ts';

const people = new People({ otto: { role: 'operator' }, olga: { role: 'operator' } });
const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

/** The buttons and tabs with which a lab and a node of it are changed. */
async function offered(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}/ui/labs/default?node=h1&tab=terminal`);
  const tabs = page.getByRole('tablist', { name: 'About h1' }).getByRole('tab');
  await tabs.first().waitFor();
  const buttons = page.getByRole('button', { name: /^(Set an end|Extend|Restart|Stop)$/ });
  return [...(await buttons.allTextContents()), ...(await tabs.allTextContents())];
}

describeInBrowser(missingForBrowser ?? 'with LAB_API_OWNERSHIP=strict, in Chromium', () => {
  test('another operator sees a lab, and is offered no change of it; its owner is offered all', async () => {
    const ground = makeGround();
    // With the labs on record, as netlab has them.
    const env = { LAB_API_OWNERSHIP: 'strict', FAKE_LAB_LOGS: '1' };
    const client = { headers: people.as('otto') };
    const service = await startService({ ground, env, admit: people.admit, client });
    const up = { action: 'up', workdir: ground.workdir, topology: topologyThat() };
    await service.ended(await service.start(up));
    const pageOf = async (name: string): Promise<Page> => {
      const { page } = await visit({ extraHTTPHeaders: people.as(name) });
      await page.goto(`${service.url}/ui/`);
      await page.getByRole('list', { name: 'Labs' }).getByText('started').waitFor();
      return page;
    };
    const foreign = await pageOf('olga');
    const own = await pageOf('otto');
    const actions = (page: Page) => page.getByRole('button', { name: /^Actions of lab/ }).count();
    expect([await actions(foreign), await actions(own)]).toEqual([0, 1]);
    expect(await offered(foreign, service.url)).toEqual(['Overview', 'Log']);
    await look(foreign, 'lab-of-another');
    expect(await offered(own, service.url)).toEqual([
      'Set an end',
      'Restart',
      'Stop',
      'Overview',
      'Terminal',
      'Run',
      'Capture',
      'Log',
    ]);
    await look(own, 'lab-of-ones-own');
  });
});

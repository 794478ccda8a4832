/** The round that a person makes on the page: a lab is started, watched, entered and stopped, by mouse, and by keyboard alone. */
import { describe, expect } from '@jest/globals';
import { cpSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, leftovers, missingForAnyLabs } from '../support/engine-cli.ts';
import { giveNumber, pressTo } from '../support/page-of-labs.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({
  missing: missingForBrowser ?? missingForAnyLabs(),
});
const variant = variants(it);

const templates = path.join(root, 'templates');
cpSync('examples/spine-leaf', path.join(templates, 'spine-leaf'), { recursive: true });

async function openPage() {
  const id = String(freeInstanceNumber());
  const workspaces = mkdtempSync(path.join(root, 'workspaces-'));
  takeDownLater({ where: { home, directory: root }, instance: id });
  const service = await startProgram({
    env: {
      LAB_API_CLI: 'engine',
      LAB_HOME: home,
      LAB_API_TEMPLATES_DIR: templates,
      LAB_API_WORKSPACES_DIR: workspaces,
    },
  });
  const visitor = await visit();
  await visitor.page.goto(service.url);
  return { service, id, ...visitor };
}

const node = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name} `) });

async function ping(page: Page): Promise<void> {
  await page
    .getByText(/root@h1/)
    .first()
    .waitFor();
  await page.keyboard.type('ping -c 2 h6\n');
  await page
    .getByText(/2 packets transmitted, 2 received/)
    .first()
    .waitFor();
}

describe('the spine-leaf example', () => {
  it(`is started, watched, entered and stopped by mouse${because}`, async () => {
    const { id, page, complaints, service } = await openPage();
    await page.getByRole('link', { name: 'Start a lab' }).click();
    await page.getByRole('option', { name: /spine/ }).click();
    await giveNumber(page, id);
    await page.getByRole('button', { name: 'Start the lab' }).click();
    await page.waitForURL(/\/ui\/jobs\/job-/);
    await page.getByText('Creating 11 nodes').first().waitFor();
    await page.getByText('success', { exact: true }).first().waitFor();
    await look(page, 'milestone-job');

    await page.getByRole('link', { name: 'Open the lab' }).click();
    await page.waitForURL(new RegExp(`/ui/labs/${id}$`));
    await node(page, 'h1').click();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await ping(page);
    await look(page, 'milestone-terminal');

    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the lab' }).click();
    await page.getByRole('heading', { name: new RegExp(`^Lab .+ \\(${id}\\) is not running$`) }).waitFor();
    await look(page, 'milestone-gone');
    expect((await service.get(`/labs/${id}`)).status).toBe(404);
    expect(leftovers({ home, directory: root }, id)).toEqual([]);
    // While it goes, the lab CLI may find it half there; then it is gone.
    expect(complaints.filter((text) => !/404|502/.test(text))).toEqual([]);
  }, 120_000);

  variant(
    `is started, watched, entered and stopped by keyboard alone${because}`,
    async () => {
      const { id, page, service } = await openPage();
      const { keyboard } = page;
      await pressTo(page, 'Tab', page.getByRole('link', { name: 'Start a lab' }));
      await keyboard.press('Enter');
      const search = page.getByRole('combobox', { name: /Search/ }).or(page.getByPlaceholder(/^Search \d/));
      await page.getByRole('option', { name: /spine/ }).waitFor();
      await pressTo(page, 'Tab', search);
      await keyboard.type('spine');
      await keyboard.press('Enter');
      await pressTo(page, 'Tab', page.getByLabel('Lab ID', { exact: true }));
      await keyboard.type('a number');
      await keyboard.press('Tab');
      await keyboard.type(id);
      await keyboard.press('Enter');
      await page.waitForURL(/\/ui\/jobs\/job-/);
      await pressTo(page, 'Tab', page.getByRole('link', { name: 'Open the lab' }));
      await keyboard.press('Enter');
      await pressTo(page, 'Tab', node(page, 'h1'));
      await keyboard.press('Enter');
      await pressTo(page, 'Tab', page.getByRole('tab', { name: 'Overview' }));
      await keyboard.press('ArrowRight');
      await keyboard.press('Enter');
      await pressTo(page, 'Tab', page.locator('.xterm-helper-textarea'));
      await ping(page);
      await keyboard.press('Control+Shift+Enter');
      // Back: what comes next would be the terminal once more.
      await pressTo(page, 'Shift+Tab', page.getByRole('button', { name: 'Stop', exact: true }));
      await keyboard.press('Enter');
      await pressTo(page, 'Tab', page.getByRole('button', { name: 'Stop the lab' }));
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: new RegExp(`^Lab .+ \\(${id}\\) is not running$`) }).waitFor();
      expect((await service.get(`/labs/${id}`)).status).toBe(404);
    },
    120_000,
  );
});

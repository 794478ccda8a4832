/** The input of terminals besides the keyboard: a row of keys on a phone, and the same input for several terminals. */
import { beforeAll, expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, it, prepared } = preparedLabs({ missing });
const { where, instance } = prepared('keys', { links: [['h1', 'h2']] });

// Real shells and a browser, on machines that have other things to do.
jest.setTimeout(180_000);

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
});

const lines = (page: Page, text: RegExp): Locator => page.getByRole('listitem').filter({ hasText: text });

async function openedTerminal(): Promise<Page> {
  const { page } = await visit();
  await page.goto(`${service.url}/ui/labs/${instance}?node=h1&tab=terminal`);
  await lines(page, /[#$] *$/)
    .first()
    .waitFor();
  return page;
}

it(`on a phone, Ctrl, Esc and the arrows are buttons${because}`, async () => {
  const page = await openedTerminal();
  const keys = page.getByRole('group', { name: 'Keys' });
  expect(await keys.count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await keys.waitFor();
  await page.getByRole('textbox', { name: 'Terminal h1' }).focus();
  await page.keyboard.type('echo fir""st; sleep 1000\n');
  await lines(page, /^first/)
    .first()
    .waitFor();
  await keys.getByRole('button', { name: 'Ctrl' }).click();
  await page.keyboard.type('c');
  await lines(page, /\^C/).first().waitFor();
  await keys.getByRole('button', { name: 'Up' }).click();
  await page.keyboard.press('Enter');
  await eventually('the last command runs again', async () => (await lines(page, /^first/).count()) === 2);
  await keys.getByRole('button', { name: 'Ctrl' }).click();
  await page.keyboard.type('c');
  await page.keyboard.type('read -rsn1 -p "rea""dy? " key; printf "key%q\\n" "$key"\n');
  await lines(page, /^ready\? /)
    .first()
    .waitFor();
  await keys.getByRole('button', { name: 'Esc' }).click();
  await lines(page, /key\$'\\E'/)
    .first()
    .waitFor();
  expect(await problemsInLooks(page, 'terminal-keys')).toEqual([]);
});

it(`"Sync input" types into all open terminals of the lab${because}`, async () => {
  const page = await openedTerminal();
  const sync = page.getByRole('switch', { name: /^Sync input/ });
  expect(await sync.count()).toBe(0);
  await page.getByRole('button', { name: 'New in h1' }).click();
  const open = page.getByRole('group', { name: 'Open terminals' });
  await open.getByRole('button', { name: 'h1 (2)', exact: true }).waitFor();
  await page.getByText('Opening a terminal').waitFor({ state: 'detached' });
  await sync.check();
  await page.getByText('Sync input: also to h1').waitFor();
  await page.keyboard.type('echo sy""nced\n');
  await lines(page, /^synced/)
    .first()
    .waitFor();
  await open.getByRole('button', { name: 'h1', exact: true }).click();
  await lines(page, /^synced/)
    .first()
    .waitFor();
  await page.getByText('Sync input: also to h1 (2)').waitFor();
  await sync.uncheck();
  await page.keyboard.type('echo al""one\n');
  await lines(page, /^alone/)
    .first()
    .waitFor();
  await open.getByRole('button', { name: 'h1 (2)', exact: true }).click();
  await lines(page, /^synced/)
    .first()
    .waitFor();
  expect(await lines(page, /^alone/).count()).toBe(0);
});

/** From an empty server to a lab that was drawn: a ring of five with two hosts, and a ping between them. */
import { describe, expect } from '@jest/globals';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram } from '../support/service.ts';
import { editorOf } from '../support/workspace-pages.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({
  missing: missingForBrowser ?? missingForAnyLabs(),
});

const box = (page: Page, name: string) => page.locator(`.react-flow__node[data-id="n:${name}"]`);
const line = (page: Page, id: string) => page.locator(`.react-flow__edge[data-id^="${id}"]`);
const field = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Properties' }).getByLabel(name, { exact: true });
const textOf = async (page: Page): Promise<string> =>
  (await editorOf(page).innerText()).replaceAll(/\n+$/g, '');

async function openPage() {
  const workspaces = mkdtempSync(path.join(root, 'workspaces-'));
  const service = await startProgram({
    env: { LAB_API_CLI: 'engine', LAB_HOME: home, LAB_API_WORKSPACES_DIR: workspaces },
  });
  const visitor = await visit();
  await visitor.page.goto(service.url);
  return { service, workspaces, ...visitor };
}

/** A new ring of five in a new workspace, with a comment of the user. */
async function makeRing(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'New lab' }).first().click();
  await page.getByRole('radio', { name: 'Ring' }).click();
  await page.getByRole('spinbutton', { name: 'Routers', exact: true }).fill('5');
  await page.getByRole('status').getByText('5 routers, 2 hosts, 7 links').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/ui\/workspaces\/[^?]+\?file=topology\.yml&view=drawing$/);
  await box(page, 'r5').waitFor();
  await page.getByText('Both', { exact: true }).click();
  await editorOf(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('# mine: keep it\n');
  return /workspaces\/([^?]+)/.exec(page.url())?.[1] ?? '';
}

describe('a lab is drawn', () => {
  it(`started and entered${because}`, async () => {
    const { page, complaints, workspaces } = await openPage();
    const workspace = await makeRing(page);
    const before = await textOf(page);

    // By mouse: a node gets another name, and a link a prefix.
    await box(page, 'r1').click();
    await field(page, 'Name').fill('core');
    await page.keyboard.press('Enter');
    await box(page, 'core').waitFor();
    await line(page, 'core-r2').focus();
    await page.keyboard.press('Enter');
    await field(page, 'Prefix').fill('10.9.0.0/24');
    await page.keyboard.press('Enter');
    await eventually('the prefix in the text', async () =>
      (await textOf(page)).includes('prefix: 10.9.0.0/24'),
    );
    await look(page, 'drawing-milestone');

    // A mistake is marked in the text and at its link.
    await editorOf(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\nxlinks:\n- core-r9\n');
    await page.getByText(/1 warning/).waitFor();
    await page.keyboard.press('Control+z');

    // By keyboard alone: undo leads back to the first text.
    await box(page, 'core').focus();
    for (let step = 0; step < 20 && (await textOf(page)) !== before; step += 1)
      await page.keyboard.press('Control+z');
    expect(await textOf(page)).toBe(before);
    await page.keyboard.press('Control+y');
    await box(page, 'core').waitFor();

    await page.getByRole('button', { name: 'Save and start' }).click();
    const started = page.getByRole('group', { name: 'Lab' }).getByRole('link', { name: /^Lab / });
    const instance = (await started.getAttribute('href'))?.split('/').at(-1) ?? '';
    takeDownLater({ where: { home, directory: path.join(workspaces, workspace) }, instance });
    await page.getByText('7 of 7 nodes up').waitFor();
    await box(page, 'core').locator('[data-state="up"]').first().waitFor();
    await look(page, 'drawing-milestone-up');
    const saved = readFileSync(path.join(workspaces, workspace, 'topology.yml'), 'utf8');
    expect(saved).toMatch(/^# mine: keep it\n/);
    expect(saved.replaceAll('core', 'r1')).toBe(`${before}\n`);

    await box(page, 'h1').click();
    await page.getByRole('link', { name: 'Terminal of h1' }).click();
    await page
      .getByText(/root@h1/)
      .first()
      .waitFor();
    await page.keyboard.type('ping -c 2 h2\n');
    await page
      .getByText(/2 packets transmitted, 2 received/)
      .first()
      .waitFor();
    expect(complaints.filter((text) => !/404|502/.test(text))).toEqual([]);
  }, 180_000);
});

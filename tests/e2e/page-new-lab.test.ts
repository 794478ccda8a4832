/** From nothing to a topology in the editor: the dialog "New lab". */
import { expect } from '@jest/globals';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser } from '../support/browser.ts';
import { isLive } from '../support/page.ts';
import { openLabs, pressTo } from '../support/page-of-labs.ts';
import { fixtureProgram } from '../support/programs.ts';
import { testUnless } from '../support/requirements.ts';
import { startProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { isExpected, officeTopology, workspacePages } from '../support/workspace-pages.ts';

const { it, because } = testUnless(missingForBrowser);
const root = temporaryDirectory();
const pages = workspacePages({ home: path.join(root, 'home'), root });

const named = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const counted = (page: Page, name: string) => page.getByRole('spinbutton', { name, exact: true });
/** The card, when it has the focus. */
const card = (page: Page, name: string) => page.getByRole('radio', { name }).and(page.locator(':focus'));
const looksOf = async (page: Page, name: string) =>
  problemsInLooks(page, `new-lab-${name}`, { part: '[role="dialog"]' });

it(`a ring of five with two hosts is made by keyboard alone${because}`, async () => {
  const { page, complaints } = await pages.openAs('ops', '/');
  await page.getByRole('heading', { name: 'No lab is running' }).waitFor();
  expect(await problemsInLooks(page, 'new-lab-none')).toEqual([]);
  await pressTo(page, 'Tab', page.getByRole('link', { name: 'New lab' }));
  await page.keyboard.press('Enter');
  await card(page, 'Blank').waitFor();
  await page.getByText('1 router', { exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await card(page, 'Ring').waitFor();
  await pressTo(page, 'Tab', counted(page, 'Routers'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('5');
  await page.getByRole('status').getByText('5 routers, 2 hosts, 7 links').waitFor();
  expect(new URL(page.url()).search).toBe('?new=ring&routers=5');
  expect(await looksOf(page, 'ring')).toEqual([]);
  const workspace = await named(page, 'Workspace').inputValue();
  expect(workspace).toMatch(/^ring-[a-z0-9]{4}$/);
  await pressTo(page, 'Tab', page.getByRole('button', { name: 'Create' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/ui/workspaces/${workspace}?file=topology.yml&view=drawing`);
  await page.getByRole('toolbar', { name: 'Drawing' }).waitFor();
  expect(await pages.contentOf(workspace, 'topology.yml')).toContain(
    'links: [r1-r2, r2-r3, r3-r4, r4-r5, r5-r1, r1-h1, r3-h2]\n',
  );
  // The way back leads to the labs, and not into the dialog again.
  await page.goBack();
  await page.getByRole('heading', { name: 'No lab is running' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  // A new drawing has no layout yet.
  expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
});

it(`wrong numbers and names stand at their fields, and nothing is made${because}`, async () => {
  await pages.workspaceWith('office', { 'topology.yml': officeTopology });
  const { page, complaints } = await pages.openAs('ops', '/');
  await page.getByRole('link', { name: 'New lab' }).click();
  await page.getByRole('radio', { name: 'Spine–leaf' }).click();
  await counted(page, 'Hosts per leaf').fill('50');
  await page.getByText('makes 155 nodes: at most 150').waitFor();
  await counted(page, 'Leaves').fill('');
  await page.getByText('a whole number from 1 to 150').waitFor();
  await named(page, 'Workspace').fill('My lab');
  await page.getByText('only lower-case letters, digits and . _ -', { exact: true }).waitFor();
  await named(page, 'Workspace').fill('office');
  await page.getByText('a workspace of this name exists: choose another name').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await counted(page, 'Leaves').and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  expect(await looksOf(page, 'wrong')).toEqual([]);
  await counted(page, 'Leaves').fill('1');
  await page.getByRole('button', { name: 'Create' }).click();
  await named(page, 'Workspace').and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  expect(await pages.contentOf('office', 'topology.yml')).toBe(officeTopology);
  // One step back closes the dialog, whatever was chosen in it.
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  expect(complaints).toEqual([]);
});

it(`a template is found and copied by keyboard alone, at 360 px${because}`, async () => {
  const { page, complaints } = await pages.openAs('ops', '/jobs', {
    viewport: { width: 360, height: 740 },
  });
  await isLive(page);
  await page.keyboard.press('Control+k');
  await page.locator(':focus[placeholder]').waitFor();
  await page.keyboard.type('new lab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/ui/?new=');
  await card(page, 'Blank').waitFor();
  for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press('ArrowRight');
  await card(page, 'Template').waitFor();
  await pressTo(page, 'Tab', named(page, 'Directory on the server'));
  await page.keyboard.type(path.resolve('examples'));
  await page.keyboard.press('Enter');
  const triangle = page.getByRole('option', { name: /triangle/ });
  await triangle.waitFor();
  expect(await looksOf(page, 'templates')).toEqual([]);
  // The list, which has a search field of its own, does not take the focus from the cards.
  await page.getByRole('radio', { name: 'Template' }).focus();
  await page.keyboard.press('ArrowRight');
  await card(page, 'From Git').waitFor();
  await page.keyboard.press('ArrowLeft');
  await triangle.waitFor();
  await card(page, 'Template').waitFor();
  await pressTo(page, 'Tab', page.getByRole('combobox', { name: 'Search templates' }));
  await page.keyboard.type('triangle');
  await page.getByText(/^1 of \d+$/).waitFor();
  await page.keyboard.press('Enter');
  await named(page, 'Workspace').and(page.locator(':focus')).waitFor();
  expect(await looksOf(page, 'template')).toEqual([]);
  // The way back leads to the list.
  await page.goBack();
  await triangle.waitFor();
  await page.goForward();
  await named(page, 'Workspace').waitFor();
  const workspace = await named(page, 'Workspace').inputValue();
  expect(workspace).toMatch(/^triangle-[a-z0-9]{4}$/);
  await pressTo(page, 'Tab', page.getByRole('button', { name: 'Create' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/ui/workspaces/${workspace}?file=topology.yml&view=drawing`);
  await page.getByRole('toolbar', { name: 'Drawing' }).waitFor();
  const example = readFileSync(path.resolve('examples/triangle/topology.yml'), 'utf8');
  expect(await pages.contentOf(workspace, 'topology.yml')).toBe(example);
  expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
});

it(`a template that cannot be copied is said so, and nothing is made${because}`, async () => {
  const directory = path.join(root, 'templates');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'office.yml'), officeTopology);
  writeFileSync(path.join(directory, 'disk.img'), Buffer.alloc(3 * 1024 * 1024));
  const { page } = await pages.openAs('ops', `/?new=template&dir=${directory}`);
  await page.getByRole('option', { name: /office/ }).click();
  await named(page, 'Workspace').fill('copied');
  await page.getByRole('button', { name: 'Create' }).click();
  const problem = page.getByRole('alert').filter({ hasText: 'The lab is not made' });
  await problem.getByText('put the template into a directory of its own').waitFor();
  expect((await pages.service().get('/workspaces/copied')).status).toBe(404);
  rmSync(path.join(directory, 'disk.img'));
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/ui/workspaces/copied?file=office.yml&view=drawing');
});

it(`a user who may only look makes no lab${because}`, async () => {
  const { page } = await pages.openAs('vera', '/?new=ring');
  await page.getByText('Your login may view labs, not start them').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'New lab' }).count()).toBe(0);
});

it(`the topology is one of the lab CLI that is chosen${because}`, async () => {
  const clis = ['fake-netlab', 'fake-clab/containerlab'].map(fixtureProgram);
  const service = await startProgram({ env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(',') } });
  const { page } = await openLabs(service, '?new=line');
  await page.getByText('Routers are FRR and speak OSPF, hosts are Linux.').waitFor();
  await page.getByLabel('Lab CLI').selectOption('containerlab');
  await page.getByText('they have no addresses yet').waitFor();
  await named(page, 'Workspace').fill('east');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/ui/workspaces/east?file=east.clab.yml&view=drawing');
  const { text } = await service.get('/workspaces/east/files/east.clab.yml');
  expect(text).toMatch(/^name: east\ntopology:\n/);
  expect(text).toContain('    - endpoints: ["r1:eth1", "r2:eth1"]\n');
  const { templates } = (
    await service.get('/templates?dir=' + (await service.get('/workspaces/east')).json.workdir)
  ).json;
  expect(templates).toMatchObject([{ cli: 'containerlab', valid: true, nodes: 5, links: 4 }]);
});

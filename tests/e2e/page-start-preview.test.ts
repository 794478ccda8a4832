/** The dialog that starts a lab shows the topology as a picture first. */
import { expect } from '@jest/globals';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser } from '../support/browser.ts';
import { testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { officeTopology, workspacePages } from '../support/workspace-pages.ts';

const { it, because } = testUnless(missingForBrowser);
const root = temporaryDirectory();
const { openAs, workspaceWith } = workspacePages({ home: path.join(root, 'home'), root });

const nodeIn = (page: Page, name: string) =>
  page.getByLabel('Preview of the topology').locator('.react-flow__node').getByText(name, { exact: true });

it(`of a file of a workspace, in a narrow window on demand${because}`, async () => {
  const cut = `${officeTopology}module: [ospf]\n`;
  await workspaceWith('office', { 'topology.yml': officeTopology, 'other.yml': cut.replaceAll('h2', 'r2') });
  const { page, complaints } = await openAs('ops', '/?start=workspace:office');
  await page.getByLabel('Topology file').selectOption('topology.yml');
  await nodeIn(page, 'h2').waitFor();
  await page.getByLabel('Topology file').selectOption('other.yml');
  await nodeIn(page, 'r2').waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await nodeIn(page, 'r2').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Preview', expanded: false }).press('Enter');
  await nodeIn(page, 'r2').waitFor();
  const shown = page.getByRole('button', { name: 'Preview', expanded: true });
  expect(await problemsInLooks(page, 'start-preview', { part: '[role="dialog"]' })).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await shown.click();
  await nodeIn(page, 'r2').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it(`of a topology that is typed, or why there is none${because}`, async () => {
  const { page, complaints } = await openAs('ops', '/?start=text');
  const text = page.getByRole('textbox', { name: 'Topology', exact: true });
  await nodeIn(page, 'h1').waitFor();
  await text.fill('nodes: [h1, h2, h3]\nlinks: [h1-h2, h2-h3]\n');
  await nodeIn(page, 'h3').waitFor();
  await text.fill('nodes: [h1\nlinks: [h1-h2]\n');
  await page.getByText(/^No picture: line 2 is not YAML/).waitFor();
  await text.fill('name: empty\n');
  await page.getByText('No picture: the file names no nodes.').waitFor();
  await text.fill('plugin: [ebgp.multihop]\nnodes: [h1, h2]\nlinks: [h1-h2]\n');
  await nodeIn(page, 'h2').waitFor();
  expect(complaints).toEqual([]);
});

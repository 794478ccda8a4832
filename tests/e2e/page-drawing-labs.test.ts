/** A lab that is started and changed from its drawing, while other things happen to the file and the lab. */
import { describe, expect } from '@jest/globals';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { missingForBrowser } from '../support/browser.ts';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { workspacePages } from '../support/workspace-pages.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, it, root, takeDownLater } = preparedLabs({ missing });
const describeInBrowser = missing === undefined ? describe : describe.skip;

const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';
const upOf = (workspace: string) => ({
  action: 'up',
  workspace,
  topologyPath: 'topology.yml',
  multilabId: 'auto',
});
const restart = (page: Page) => page.getByRole('button', { name: 'Restart from this drawing…' });

/** Refuses starts, as a server does that has no room for them. */
async function refuseStarts(page: Page): Promise<void> {
  await page.route('**/jobs', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const json = { status: 403, code: 'over-quota', detail: 'the quota of ops is 2 nodes', errors: [] };
    return route.fulfill({ status: 403, contentType: 'application/problem+json', json });
  });
}

describeInBrowser('the lab of a drawing', () => {
  const { service, workspaceWith, openAs, contentOf } = workspacePages({ root, home });

  async function open(name: string) {
    await workspaceWith(name, { 'topology.yml': topology });
    const { page } = await openAs('ops', `/workspaces/${name}?file=topology.yml&view=drawing`);
    const directory = path.join(root, 'workspaces', name);
    await page.getByRole('button', { name: /^h1 linux, / }).waitFor();
    /** Runs a job as another program does. */
    const run = async (body: object): Promise<void> => {
      const { json } = await service().request('/jobs', { method: 'POST', body });
      expect((await service().get(`/jobs/${json.id}?wait=60`)).json.state).toBe('success');
    };
    const lab = async () =>
      (await service().get('/labs')).json.labs.find((one: { workspace: string }) => one.workspace === name);
    return { page, directory, run, lab };
  }

  it(`a start waits for a save that is under way${because}`, async () => {
    const { page, directory, lab } = await open('saving');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/files/topology.yml', async (route) => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    await page.getByRole('application', { name: 'Drawing of topology.yml' }).press('n');
    await page.getByRole('button', { name: /^h3 linux, / }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save and start' }).click();
    release();
    await page.getByText('3 of 3 nodes up').waitFor();
    takeDownLater({ where: { home, directory }, instance: (await lab()).id });
    expect(await contentOf('saving', 'topology.yml')).toContain('h3');
  });

  const addNode = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('application', { name: 'Drawing of topology.yml' }).press('n');
    await page.getByRole('button', { name: new RegExp(`^${name} linux, `) }).waitFor();
  };

  it(`is replaced in one request, and a refusal leaves it, until the next edit says so${because}`, async () => {
    const { page, directory, run, lab } = await open('again');
    await run({ ...upOf('again'), ttlSeconds: 3600 });
    takeDownLater({ where: { home, directory }, instance: (await lab()).id });
    const { startedAt, id } = await lab();
    const shares = [{ kind: 'user', name: 'vera', as: 'viewer' }];
    const shared = await service().request(`/labs/${id}/shares`, { method: 'PUT', body: { shares } });
    expect(shared.json.shares).toEqual(shares);
    await restart(page).click();
    await page
      .getByText(/^The lab is shared with vera \(viewer\)\. The new lab will not be shared/)
      .waitFor();
    await refuseStarts(page);
    await page.getByRole('button', { name: 'Restart the lab' }).click();
    await page.getByText('the quota of ops is 2 nodes').waitFor();
    expect(await lab()).toMatchObject({ id, startedAt });
    await page.unroute('**/jobs');
    await addNode(page, 'h3');
    expect(await page.getByText('the quota of ops is 2 nodes').count()).toBe(0);

    await restart(page).click();
    await page.getByText('New nodes: h3').waitFor();
    await page.getByRole('button', { name: 'Restart the lab' }).click();
    await page.getByText('3 of 3 nodes up').waitFor();
    const { json } = await service().get('/jobs?workspace=again');
    const [up, down] = json.jobs;
    expect(up).toMatchObject({ action: 'up', state: 'success', request: { replace: true }, instance: id });
    expect(down).toMatchObject({ action: 'down', state: 'success', replacedBy: up.id });
    expect((await lab()).id).toBe(id);
    expect((await lab()).expiresAt).not.toBeNull();
  });

  it(`that another program starts and stops is seen, and no start is offered before${because}`, async () => {
    const { page, directory, run, lab } = await open('elsewhere');
    await page.getByText('No lab runs here.').waitFor();
    expect(await page.getByRole('link', { name: /^Start a lab/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of elsewhere' }).click();
    const options = page.getByRole('menuitem', { name: 'Start a lab with options…' });
    expect(await options.getAttribute('href')).toContain('start=workspace%3Aelsewhere%2Ftopology.yml');
    await page.keyboard.press('Escape');
    await run(upOf('elsewhere'));
    takeDownLater({ where: { home, directory }, instance: (await lab()).id });
    await page.getByText('2 of 2 nodes up').waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/labs', async (route) => held.then(async () => route.continue()));
    await page.reload();
    const start = page.getByRole('button', { name: 'Save and start' });
    expect(await start.isDisabled()).toBe(true);
    await page.getByText('Looking for the lab…').waitFor();
    release();
    await restart(page).click();
    await page.getByRole('dialog').waitFor();
    await run({ action: 'down', instance: (await lab()).id, workdir: directory });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('No lab runs here.').waitFor();
    expect(await start.isEnabled()).toBe(true);
  });

  it(`has the nodes and links of the drawing, as far as both agree${because}`, async () => {
    const { page, directory, run, lab } = await open('places');
    await run(upOf('places'));
    const { id } = await lab();
    takeDownLater({ where: { home, directory }, instance: id });
    await page.getByText('2 of 2 nodes up').waitFor();
    await page.getByRole('button', { name: /^h1 linux, / }).click();
    expect(await page.getByRole('link', { name: 'h1 in the lab' }).getAttribute('href')).toContain('node=h1');
    await page.getByRole('link', { name: 'Terminal of h1' }).waitFor();
    await addNode(page, 'h3');
    await page.getByRole('button', { name: /^h3 linux, / }).click();
    await page.getByRole('heading', { name: 'Node h3' }).waitFor();
    expect(await page.getByRole('link', { name: /in the lab$/ }).count()).toBe(0);
    await page.getByText('2 of 2 nodes up, 1 in the drawing alone').waitFor();
    expect(await page.getByRole('button', { name: /^h3 linux, / }).getAttribute('aria-label')).not.toContain(
      'unknown',
    );
    await page.getByRole('button', { name: /^link h1-h2/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Link in the lab' }).click();
    const dialog = page.getByRole('dialog', { name: /^Link h1 .* – h2 / });
    await dialog.getByRole('button', { name: 'Cut' }).waitFor();
    await dialog.getByRole('button', { name: 'Show the traffic' }).click();
    await dialog.getByRole('table', { name: 'Traffic' }).waitFor();
    const capture = dialog.getByRole('link', { name: /^h2 / });
    const [, at = ''] = /^h2 (.*)$/.exec((await capture.textContent()) ?? '') ?? [];
    await capture.click();
    await page.getByRole('tab', { name: 'Capture', selected: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Interface' }).inputValue()).toBe(at);
  });
});

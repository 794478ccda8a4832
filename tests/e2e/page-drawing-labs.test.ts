/** A lab that is started and changed from its drawing, while other things happen to the file and the lab. */
import { describe, expect } from '@jest/globals';
import path from 'node:path';
import type { Page, Request } from 'playwright-core';
import { missingForBrowser } from '../support/browser.ts';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { workspacePages } from '../support/workspace-pages.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, it, root, takeDownLater } = preparedLabs({ missing });
const describeInBrowser = missing === undefined ? describe : describe.skip;

const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';
const restart = (page: Page) => page.getByRole('button', { name: 'Restart with the changes…' });

/** Refuses the first request for a start, as a lab CLI does that finds a lab of this name. */
async function refuseOnce(page: Page): Promise<void> {
  const isStart = (request: Request): boolean =>
    request.method() === 'POST' && (request.postDataJSON() as { action?: string }).action === 'up';
  let isRefused = false;
  await page.route('**/jobs', async (route) => {
    if (isRefused || !isStart(route.request())) return route.fallback();
    isRefused = true;
    const json = { status: 409, code: 'conflict', detail: 'the lab runs already', errors: [] };
    return route.fulfill({ status: 409, contentType: 'application/problem+json', json });
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

  it(`the question about a lab goes with it, and a refused start is repeated when it is gone${because}`, async () => {
    const { page, directory, run, lab } = await open('again');
    const up = { action: 'up', workspace: 'again', topologyPath: 'topology.yml', multilabId: 'auto' };
    await run(up);
    await restart(page).click();
    await page.getByRole('dialog').waitFor();
    await run({ action: 'down', instance: (await lab()).id, workdir: directory });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await run(up);
    takeDownLater({ where: { home, directory }, instance: (await lab()).id });
    await restart(page).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);

    const { startedAt } = await lab();
    await refuseOnce(page);
    await restart(page).click();
    await page.getByRole('button', { name: 'Restart the lab' }).click();
    await page.getByText(/^Starting/).waitFor();
    await page.getByText('2 of 2 nodes up').waitFor();
    expect((await lab()).startedAt).not.toBe(startedAt);
  });
});

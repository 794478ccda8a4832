/** Every page in every look: nothing for axe to object to, nothing that breaks the policy, nothing wider than the window. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit, within } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { fillInLogin, isLive } from '../support/page.ts';
import { makeGround, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { basic, login, makeTeam, passwords } from '../support/team.ts';
import { isExpected } from '../support/workspace-pages.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  let places: readonly string[];
  beforeAll(async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const files = { LAB_API_AUDIT_FILE: path.join(ground.root, 'audit.jsonl') };
    const env = { ...team.env, ...files, LAB_API_WORKSPACES_DIR: path.join(ground.root, 'workspaces') };
    const client = { headers: basic('ops', passwords.ops) };
    service = await startProgram({ ground, env, client });
    await service.request('/workspaces/course', { method: 'PUT' });
    const job = await service.start({ action: 'up', workdir: ground.workdir, topology: topologyThat() });
    await service.ended(job);
    const ofOne = ['labs/77', `jobs/${job}`, 'workspaces/course', 'snapshots/gone'];
    places = ['', 'jobs', 'workspaces', 'audit', 'settings', 'nothing', ...ofOne];
  });

  test('every page is in order, wide, dark and narrow', async () => {
    const { page, complaints } = await visit();
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
    const found: string[] = await problemsInLooks(page, 'login');
    await page.getByRole('textbox', { name: 'User' }).fill('ops');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwords.ops);
    await page.getByRole('button', { name: 'Log in' }).click();
    await isLive(page);
    for (const place of places) {
      await page.goto(`${service.url}/ui/${place}`);
      await isLive(page);
      await page.waitForLoadState();
      await page.getByRole('main').getByRole('heading').first().waitFor();
      found.push(...(await problemsInLooks(page, `frame-${place.split('/').join('-') || 'labs'}`)));
    }
    expect(found).toEqual([]);
    // Before the login, and for a lab that is not there, the service refuses: a browser complains of that, too.
    expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
  });

  test('a script that gets into the page all the same does not run', async () => {
    const { page, complaints } = await visit();
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
    await page.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<img alt="" src="x:" onerror="document.title = 1">');
      const inline = document.createElement('script');
      inline.textContent = 'document.title = 2';
      const ofOthers = document.createElement('script');
      ofOthers.src = 'https://lab.test/x.js';
      document.body.append(inline, ofOthers);
    `);
    await eventually('the browser has refused all three', () =>
      complaints.filter((text) => text.includes('Content Security Policy')).length > 2 ? true : undefined,
    );
    expect(await page.title()).toMatch(/^Log in/);
  });

  variant('between telephone and desk, the bar has room for all pages of an administrator', async () => {
    const { page } = await visit();
    await page.goto(service.url);
    await fillInLogin(page, login);
    await isLive(page);
    for (const width of [360, 768, 992, 1200]) {
      await page.setViewportSize({ width, height: 740 });
      const bar = page.getByRole('banner');
      expect([width, await within<number>(bar, 'element.scrollWidth - element.clientWidth')]).toEqual([
        width,
        0,
      ]);
    }
  });

  variant('on a telephone, the pages are in a menu, and the search is one touch away', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } });
    await page.goto(service.url);
    await page.getByRole('textbox', { name: 'User' }).fill('vera');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwords.vera);
    await page.getByRole('button', { name: 'Log in' }).click();
    await isLive(page);
    await page.getByRole('button', { name: 'Pages' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
    await look(page, 'menu-narrow');
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByText('viewer: may view').waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('textbox', { name: 'Search' }).waitFor();
    await page.getByText('Log out').waitFor();
    // Not for viewers.
    expect(await page.getByText('Start a lab').count()).toBe(0);
    await look(page, 'palette-narrow');
    expect(await objectionsOn(page)).toEqual([]);
  });
});

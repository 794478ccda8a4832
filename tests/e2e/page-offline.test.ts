/** What a page that is open does when its service goes away, comes back, or comes back as another build. */
import { describe, expect, test } from '@jest/globals';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { isLive } from '../support/page.ts';
import { repoRoot } from '../support/repo-files.ts';
import { makeGround, startProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const directory = temporaryDirectory();
const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

/** A service that can be started again at the same address. */
async function restartable(program?: string) {
  const ground = makeGround();
  const env = { LAB_API_PORT: String(await freePort()) };
  const start = async () => startProgram({ ground, env, ...(program !== undefined && { program }) });
  return { start, first: await start() };
}

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  test('a service that is killed: the page stays, says since when, and is up to date once it is back', async () => {
    const { start, first } = await restartable();
    const { page } = await visit();
    await page.goto(`${first.url}/ui/?start=text`);
    await isLive(page);
    await page.getByLabel('Time to live').waitFor();
    await first.end('SIGKILL');
    // An action fails with a sentence soon: nothing is sent minutes later.
    await page.getByRole('button', { name: 'Start the lab' }).click();
    await page.getByRole('alert').getByText('There is no connection to the service.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/^No connection to the service for .* s: this page shows the state of /).waitFor();
    await page.getByRole('heading', { name: 'Labs' }).waitFor();
    await look(page, 'offline');
    await page.getByRole('button', { name: 'Connection: offline' }).click();
    await page.getByText(/No connection since/).waitFor();
    await look(page, 'offline-why');
    await page.keyboard.press('Escape');
    const asked = page.waitForRequest((request) => request.url().endsWith('/readyz'));
    await start();
    await page.getByRole('button', { name: 'Try now' }).click();
    await isLive(page);
    await asked;
    expect(await page.getByText(/^No connection/).count()).toBe(0);
  });

  variant(
    'a part that does not come at first is asked for again, and one that never comes leaves a page to go on from',
    async () => {
      const { first } = await restartable();
      const { page } = await visit();
      await page.goto(`${first.url}/ui/settings`);
      await isLive(page);
      const lost: string[] = [];
      await page.route(/jobs-page.*\.js$/, async (route) => {
        lost.push(route.request().url());
        await (lost.length <= 2 ? route.abort('failed') : route.continue());
      });
      await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
      expect(lost.length).toBeGreaterThan(2);

      await page.route(/workspaces-page.*\.js$/, async (route) => route.abort('failed'));
      await page.getByRole('link', { name: 'Workspaces' }).first().click();
      await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
      await page.unroute(/workspaces-page.*\.js$/);
      // The other parts are there as ever.
      await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor();
    },
  );

  variant('a page whose script does not come at first is loaded again', async () => {
    const { first } = await restartable();
    const { page } = await visit();
    const lost: string[] = [];
    await page.route(/assets\/index-.*\.js$/, async (route) => {
      lost.push(route.request().url());
      await (lost.length <= 2 ? route.abort('failed') : route.continue());
    });
    await page.goto(`${first.url}/ui/settings`);
    await isLive(page);
    expect(lost.length).toBe(3);
    // It has forgotten them: the next time, it would try as often.
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('a service that is stopped says so beforehand, and the page says it on', async () => {
    const { start, first } = await restartable();
    const { page } = await visit();
    await page.goto(first.url);
    await isLive(page);
    await first.end('SIGTERM');
    await page.getByRole('button', { name: 'Connection: offline' }).click();
    await page.getByText('The service was stopped or is restarting.').waitFor();
    await start();
    await isLive(page);
  });

  variant('a page of an older build asks to be loaded anew, and never does so by itself', async () => {
    const copy = path.join(directory, 'updated');
    for (const name of ['dist', 'package.json'])
      cpSync(path.join(repoRoot, name), path.join(copy, name), { recursive: true });
    const { start, first } = await restartable(path.join(copy, 'dist/main.js'));
    const { page } = await visit();
    await page.goto(first.url);
    await isLive(page);
    await page.evaluate("document.body.setAttribute('data-kept', 'yes')");
    // An update: another build, which has no file of the old one.
    await first.end();
    const built = path.join(copy, 'dist/dashboard');
    writeFileSync(path.join(built, 'build.json'), '{"build":"of-tomorrow"}');
    const files = readdirSync(path.join(built, 'assets'));
    for (const file of files.filter((name) => name.startsWith('settings-page')))
      rmSync(path.join(built, 'assets', file));
    await start();
    await page.getByText('The service was updated: a newer version of this page is available.').waitFor();
    await isLive(page);
    await look(page, 'newer-build');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'This page is outdated' }).waitFor();
    await look(page, 'gone-part');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    expect(await page.locator('body[data-kept]').count()).toBe(1);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.locator('body:not([data-kept])').waitFor();
    await isLive(page);
  });

  variant('a page that nobody looks at lets go of its stream, and takes it up again', async () => {
    const service = await startProgram();
    const { page } = await visit();
    await page.clock.install();
    await page.goto(service.url);
    await isLive(page);
    const turn = async (state: 'hidden' | 'visible'): Promise<void> =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        void document.dispatchEvent(new Event('visibilitychange'));
      `);
    const isFeed = (request: { url: () => string }): boolean => request.url().endsWith('/events');
    const left = page.waitForEvent('requestfailed', isFeed);
    await turn('hidden');
    await page.clock.fastForward('00:11');
    await left;
    await page.getByRole('button', { name: 'Connection: connecting' }).waitFor();
    const taken = page.waitForRequest(isFeed);
    await turn('visible');
    await taken;
    await isLive(page);
  });

  variant('a page that was opened in the background takes no stream until somebody looks at it', async () => {
    const service = await startProgram();
    const { page } = await visit();
    await page.addInitScript("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${service.url}/ui/settings`);
    await page.getByText('The service is ready.').waitFor();
    expect(asked).toContain('/session');
    expect(asked).not.toContain('/events');
  });
});

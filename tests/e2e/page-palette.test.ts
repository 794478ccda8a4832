/** Getting about on the page with the keyboard: search, shortcuts, focus, titles, themes. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { isLive } from '../support/page.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  let job: string;
  beforeAll(async () => {
    service = await startProgram();
    job = await service.start({
      action: 'up',
      workdir: service.ground.workdir,
      topology: topologyThat(),
    });
    await service.ended(job);
  });

  async function open(place = '') {
    const { page, complaints } = await visit();
    await page.goto(`${service.url}/ui/${place}`);
    await isLive(page);
    return { page, complaints, path: () => new URL(page.url()).pathname };
  }

  test('Ctrl K finds pages, jobs and actions by a few letters', async () => {
    const { page, path, complaints } = await open();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.and(page.locator(':focus')).waitFor();
    await page.getByRole('dialog').getByText('Start a lab').waitFor();
    await look(page, 'palette');
    await page.keyboard.type('stngs');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator(':focus[placeholder]').waitFor();
    await page.keyboard.type(job.slice(0, -1));
    await page.getByText(job, { exact: true }).waitFor();
    await look(page, 'palette-job');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/jobs/${job}`);
    expect(path()).toBe(`/ui/jobs/${job}`);
    await page.keyboard.press('Control+k');
    await page.locator(':focus[placeholder]').waitFor();
    await page.keyboard.type('no such thing at all');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  variant('? shows the shortcuts', async () => {
    const { page } = await open();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to Jobs').waitFor();
    await help.getByRole('row', { name: 'Delete Remove the file or directory' }).waitFor();
    await look(page, 'shortcuts');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
  });

  test('after a navigation the focus is at the content, and the window is called after the page', async () => {
    const { page } = await open();
    expect(await page.title()).toBe('Labs · lab-api');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.waitForURL('**/ui/jobs');
    await page.locator('main:focus').waitFor();
    expect(await page.title()).toBe('Jobs · lab-api');
    await page.getByRole('status', { name: 'Page' }).getByText('Jobs').waitFor();
  });

  variant('the first stop of the keyboard leads past the frame', async () => {
    const { page } = await open('settings');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/settings');
  });

  variant('going back leads to where one was', async () => {
    const { page } = await open('settings');
    await page.setViewportSize({ width: 360, height: 500 });
    await page.getByText('The service is ready.').waitFor();
    await page.mouse.wheel(0, 700);
    const scrolled = async () => Number(await page.evaluate('Math.round(scrollY)'));
    const before = await eventually('it is scrolled', async () => {
      const y = await scrolled();
      return y >= 600 ? y : undefined;
    });
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor();
    await page.goBack();
    await eventually('it is where it was', async () => ((await scrolled()) === before ? true : undefined));
  });

  variant('dark is kept, and is there before the first script of the page', async () => {
    const { page } = await open('settings');
    await page.getByRole('radio', { name: 'System' }).press('ArrowRight');
    await page.getByRole('radio', { name: 'Light' }).press('ArrowRight');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    // As if it had been loaded again often enough.
    await page.evaluate("sessionStorage.setItem('lab-api-loads', '3')");
    await page.route(/assets\/index-.*\.js/, async (route) => route.abort());
    await page.reload();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    const color = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(color).toBe('rgb(36, 36, 36)');
  });
});

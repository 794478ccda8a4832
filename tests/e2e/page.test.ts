/** The page for people, in a browser: that it comes, and where it is. */
import { describe, expect, test } from '@jest/globals';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { startProgram } from '../support/service.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  test('the page comes, is live, and breaks no policy', async () => {
    const service = await startProgram();
    const { page, complaints } = await visit();
    await page.goto(service.url);
    await page.getByText('live', { exact: true }).waitFor();
    await look(page, 'labs-empty');
    expect(complaints).toEqual([]);
  });

  test('it works below a base path, at any of its own addresses', async () => {
    const service = await startProgram({ env: { LAB_API_BASE_PATH: '/netlab' } });
    const { page, complaints } = await visit();
    await page.goto(`${service.url}/ui/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/netlab/ui/jobs');
    expect(complaints).toEqual([]);
  });
});

/** The page of the disk, in a real browser. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { isLive } from '../support/page.ts';
import { makeGround, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { basic, makeTeam, passwords } from '../support/team.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    const ground = makeGround();
    const { env } = await makeTeam(ground.root);
    service = await startProgram({ ground, env, client: { headers: basic('ops', passwords.ops) } });
  });

  async function openAs(user: 'ops' | 'vera', place: string) {
    const visitor = await visit({ extraHTTPHeaders: basic(user, passwords[user]) });
    await visitor.page.goto(`${service.url}/ui/${place}`);
    await isLive(visitor.page);
    return visitor;
  }

  test('an empty server has nothing to show but its free space', async () => {
    const { page, complaints } = await openAs('ops', '');
    await page.getByRole('link', { name: 'Disk', exact: true }).click();
    await page.getByRole('heading', { name: 'Disk', level: 1 }).waitFor();
    await page.getByText(/ of .* used, .* free$/).waitFor();
    for (const text of ['No workspaces yet.', 'No jobs yet.', 'No jobs or workspaces yet.'])
      await page.getByText(text, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('kinds, users, and the largest workspaces and jobs, with a way to each', async () => {
    await service.request('/workspaces/heavy', { method: 'PUT' });
    await service.request('/workspaces/heavy/files/image', {
      method: 'PUT',
      body: Buffer.alloc(3 * 1024 * 1024),
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    const topology = topologyThat('head -c 2000000 /dev/zero | tr "\\0" x');
    const id = await service.start({ action: 'create', workspace: 'heavy', topology });
    await service.ended(id);
    const { page, complaints } = await openAs('ops', 'disk');
    const table = (name: string) => page.getByRole('table', { name });
    await table('By kind').getByRole('row', { name: 'Workspaces 3.0 MiB' }).waitFor();
    await table('By kind').getByRole('row', { name: 'Jobs: logs and artifacts 1.9 MiB' }).waitFor();
    await table('By user').getByRole('row', { name: 'ops 1.9 MiB 3.0 MiB' }).waitFor();
    await table('Largest jobs')
      .getByRole('row', { name: `${id} create ops 1.9 MiB` })
      .waitFor();
    expect(await problemsInLooks(page, 'disk')).toEqual([]);
    await table('Largest workspaces').getByRole('link', { name: 'heavy' }).click();
    await page.getByRole('heading', { name: 'heavy', level: 1 }).waitFor();
    await page.goBack();
    await table('Largest jobs').getByRole('link', { name: id }).click();
    await page.waitForURL(`**/ui/jobs/${id}`);
    expect(complaints).toEqual([]);
  });

  test('the pages fit beside each other in a window that is just wide enough for them', async () => {
    const { page } = await openAs('ops', 'disk');
    await page.getByRole('heading', { name: 'Disk', level: 1 }).waitFor();
    await page.setViewportSize({ width: 992, height: 800 });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(992);
  });

  test('an error is shown, and goes away with the next try', async () => {
    const { page } = await visit({ extraHTTPHeaders: basic('ops', passwords.ops) });
    let isRefused = true;
    await page.route('**/disk', async (route) =>
      isRefused && route.request().resourceType() === 'fetch'
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: JSON.stringify({ status: 503, code: 'storage-fault', detail: 'the disk hangs' }),
          })
        : route.continue(),
    );
    await page.goto(`${service.url}/ui/disk`);
    await page.getByRole('alert').getByText('The use of the disk cannot be shown').waitFor();
    isRefused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Disk space' }).waitFor();
    isRefused = true;
    // The page is opened once more, and has the sizes of before.
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goBack();
    await page.getByRole('alert').getByText('The sizes may be outdated').waitFor();
    await page.getByRole('heading', { name: 'Disk space' }).waitFor();
  });

  test('others are not offered it, and see nothing of it', async () => {
    const { page, complaints } = await openAs('vera', 'disk');
    await page.getByText('Only administrators see the use of the disk').waitFor();
    await eventually(
      'the pages are there',
      async () => (await page.getByRole('link', { name: 'Jobs', exact: true }).count()) > 0,
    );
    expect(await page.getByRole('link', { name: 'Disk', exact: true }).count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Settings').waitFor();
    expect(await page.getByRole('dialog').getByText('Disk').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

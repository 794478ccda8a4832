/** The list of jobs, in a browser: what it shows, how one filters it, and what one does with a job from there. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit, within } from '../support/browser.ts';
import { startJob } from '../support/page-jobs.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

async function open(service: RunningProgram, query = ''): Promise<Page> {
  const { page } = await visit();
  await page.goto(`${service.url}/ui/jobs${query}`);
  await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
  return page;
}

const rowOf = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: `Actions of ${id}` }) });

/** The ids of the rows, from the top. */
async function idsOn(page: Page): Promise<readonly string[]> {
  const names = await page.getByRole('button', { name: /^Actions of/ }).all();
  return Promise.all(
    names.map(async (name) => ((await name.getAttribute('aria-label')) ?? '').split(' ').at(-1) ?? ''),
  );
}

describeInBrowser(missingForBrowser ?? 'the list of jobs', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    service = await startProgram({ env: { LAB_API_MAX_QUEUED_JOBS: '2000' } });
  });

  test('says what will be there, then shows jobs as they come, run and end', async () => {
    const page = await open(service);
    await page.getByText('No jobs yet').waitFor();
    await look(page, 'jobs-empty');
    const id = await startJob(service, ['echo hello from within', 'wait_for end'], {
      body: { labels: { team: 'core' } },
    });
    const row = rowOf(page, id);
    await row.getByText('running').waitFor();
    await row.getByText('team=core').waitFor();
    await row.getByText('hello from within').waitFor();
    service.ground.let('end');
    await row.getByText('success').waitFor();
    await row.getByRole('link', { name: 'create' }).click();
    await page.waitForURL(`${service.url}/ui/jobs/${id}`);
  });

  variant('filters stand in the address, and it is them', async () => {
    const failed = await startJob(service, ['exit 3'], { body: { labels: { kind: 'odd' } } });
    await service.ended(failed);
    const page = await open(service, '?state=failed&label=kind%3Dodd');
    await rowOf(page, failed).waitFor();
    expect(await idsOn(page)).toEqual([failed]);
    await page.getByRole('textbox', { name: 'Labels' }).fill('kind=even');
    await page.keyboard.press('Enter');
    await page.getByText('No job matches').waitFor();
    expect(new URL(page.url()).search).toBe('?state=failed&label=kind%3Deven');
    expect(await page.getByRole('textbox', { name: 'Labels' }).count()).toBe(1);
    await page
      .locator('input:focus')
      .and(page.getByRole('textbox', { name: 'Labels' }))
      .waitFor();
    await page.getByRole('button', { name: 'Show all jobs' }).click();
    await rowOf(page, failed).waitFor();
    expect(new URL(page.url()).search).toBe('');
    // The cause comes first: a narrow column shows no more.
    await rowOf(page, failed)
      .getByText(/exit code 3.* · kind=odd/)
      .waitFor();

    await page.getByRole('combobox', { name: 'Submitted' }).click();
    await page.getByRole('option', { name: 'in the last hour' }).click();
    await page.waitForURL(/\?since=1h$/);
    await rowOf(page, failed).waitFor();
    await page.getByRole('combobox', { name: 'Submitted' }).click();
    await page.getByRole('option', { name: 'from … to …' }).click();
    await page.getByLabel('To', { exact: true }).fill('2026-01-31T12:00');
    await page.keyboard.press('Enter');
    await page.getByText('No job matches').waitFor();
    expect(await problemsInLooks(page, 'jobs-range')).toEqual([]);
    await page.getByRole('button', { name: 'Show all jobs' }).click();
    await page.getByRole('textbox', { name: 'User' }).fill('ann');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?requestedBy=ann$/);
    await page.getByText('No job matches').waitFor();
  });

  test('a narrow window shows the cause of a failure', async () => {
    const failed = await startJob(service, ['exit 3']);
    await service.ended(failed);
    const page = await open(service);
    await page.setViewportSize({ width: 360, height: 740 });
    await rowOf(page, failed)
      .getByText(/exit code 3/)
      .waitFor();
    await look(page, 'jobs-narrow');
  });

  test('a text filter applies while one types, and loses no key', async () => {
    await startJob(service, []);
    const page = await open(service);
    const labels = page.getByRole('textbox', { name: 'Labels' });
    await labels.pressSequentially('kind=odd ');
    await page.waitForURL(/\?label=kind%3Dodd$/);
    await page.keyboard.type('team=x');
    await page.waitForURL(/\?label=kind%3Dodd&label=team%3Dx$/);
    expect(await labels.inputValue()).toBe('kind=odd team=x');
    await page.getByText('No job matches').waitFor();
    await page.locator('input:focus').and(labels).waitFor();
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    expect(await labels.inputValue()).toBe('');
  });

  test('filters stay open and keep the focus in a narrow window', async () => {
    const page = await open(service);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const directory = page.getByRole('textbox', { name: 'Directory' });
    await directory.fill('/nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('No job matches').waitFor();
    await page.locator('input:focus').and(directory).waitFor();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'scenario' }).click();
    await page.waitForURL(/action=scenario/);
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await page.waitForURL(/\/jobs$/);
    expect(await directory.inputValue()).toBe('');
  });

  test('a job is canceled, tried again and removed from there', async () => {
    const id = await startJob(service, ['wait_for nothing']);
    const page = await open(service);
    const choose = async (job: string, name: string): Promise<void> => {
      await rowOf(page, job).getByRole('button').click();
      await page.getByRole('menuitem', { name }).click();
    };
    await rowOf(page, id).getByText('running').waitFor();
    const cancel = async (job: string): Promise<void> => {
      await choose(job, 'Cancel…');
      await page.getByRole('button', { name: 'Cancel the job' }).click();
    };
    await cancel(id);
    await rowOf(page, id).getByText('canceled').waitFor();
    await choose(id, 'Retry');
    await page.getByRole('cell', { name: 'running' }).waitFor();
    const [next = ''] = await idsOn(page);
    expect((await service.job(next)).retryOf).toBe(id);
    await cancel(next);
    await rowOf(page, next).getByText('canceled').waitFor();
    await choose(id, 'Remove…');
    await page.getByRole('button', { name: 'Remove the job' }).click();
    await rowOf(page, id).waitFor({ state: 'detached' });
  });

  variant('keys lead from job to job', async () => {
    const page = await open(service);
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    const ids = await idsOn(page);
    for (const key of ['j', 'j', 'k', 'ArrowDown']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/ui/jobs/${ids[1]}`);
  });

  variant(
    'a thousand jobs: one comes to the oldest, and stays where one is when new ones come',
    async () => {
      const workdir = service.ground.makeWorkdir('many');
      const first = await service.start({
        action: 'create',
        workdir,
        topology: topologyThat('wait_for never'),
      });
      // They wait behind the first one, which runs in their directory.
      for (let batch = 0; batch < 50; batch += 1)
        await Promise.all(
          Array.from({ length: 20 }, async () =>
            service.start({ action: 'create', workdir, topology: topologyThat() }),
          ),
        );
      const page = await open(service, `?workdir=${encodeURIComponent(workdir)}`);
      const table = page.getByRole('table', { name: 'Jobs' });
      await table.waitFor();
      const toEnd = async (): Promise<void> => within(table, 'element.scrollTo(0, element.scrollHeight)');
      await look(page, 'jobs-many');
      while (!(await page.getByText('1001 jobs in total').isVisible())) await toEnd();
      await toEnd();
      await rowOf(page, first).getByText('running').waitFor();
      // So many rows are on the page, and no more.
      expect((await idsOn(page)).length).toBeLessThan(80);
      const before = await rowOf(page, first).boundingBox();
      await service.start({ action: 'create', workdir, topology: topologyThat() });
      await page.getByText('1002 jobs in total').waitFor();
      expect((await rowOf(page, first).boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    },
    180_000,
  );

  variant('axe finds nothing, wide, dark and narrow', async () => {
    const page = await open(service);
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    expect(await problemsInLooks(page, 'jobs')).toEqual([]);
  });
});

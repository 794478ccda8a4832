/** The page of a job, in a browser: its log as it is printed, what one looks for in it, and what one does with the job. */
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit, within } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { lineText, logOf, printLines, rowsOnScreen, startJob } from '../support/page-jobs.ts';
import { repoRoot } from '../support/repo-files.ts';
import { makeGround, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const fixture = (name: string): string => path.join(repoRoot, 'tests/fixtures/netlab', name);
const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

async function open(service: RunningProgram, id: string, more = '', options = {}): Promise<Page> {
  const { page } = await visit(options);
  await page.goto(`${service.url}/ui/jobs/${id}${more}`);
  await logOf(page).waitFor();
  return page;
}

const isAtBottom = async (page: Page): Promise<boolean> =>
  within(logOf(page), 'element.scrollHeight - element.scrollTop - element.clientHeight < 20');

describeInBrowser(missingForBrowser ?? 'the page of a job', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    service = await startProgram();
  });

  test('a log comes as it is printed; following stops when one scrolls up, and goes on when one wants', async () => {
    const id = await startJob(service, [
      printLines(200),
      'wait_for more',
      'echo this is new',
      'wait_for most',
      'echo this is newer',
      'wait_for end',
    ]);
    const page = await open(service, id);
    await page.getByText(lineText(200)).waitFor();
    service.ground.let('more');
    await page.getByText('this is new', { exact: true }).waitFor();
    expect(await isAtBottom(page)).toBe(true);
    await page.getByRole('button', { name: 'Following' }).waitFor();

    await logOf(page).hover();
    await page.mouse.wheel(0, -1500);
    const follow = page.getByRole('button', { name: 'Follow', exact: true });
    await follow.waitFor();
    const before = await rowsOnScreen(page);
    service.ground.let('most');
    await service.ground.waitsFor('end');
    await eventually('the page has what is new', async () =>
      within(logOf(page), 'element.scrollHeight >= 202 * 20'),
    );
    expect(await rowsOnScreen(page)).toEqual(before);

    await follow.click();
    await page.getByText('this is newer', { exact: true }).waitFor();
    expect(await isAtBottom(page)).toBe(true);
    service.ground.let('end');
    await page.getByText('End of the log: success, exit code 0.').waitFor();
    expect(await page.getByRole('button', { name: /^Follow/ }).count()).toBe(0);
    await look(page, 'job-success');
  });

  test('a job that waits leads to the job that it waits for', async () => {
    const workdir = service.ground.makeWorkdir('waits');
    const create = async (...commands: string[]): Promise<string> =>
      service.start({ action: 'create', workdir, topology: topologyThat(...commands) });
    const first = await create('wait_for turn');
    const second = await create();
    const page = await open(service, second);
    await page.getByRole('status').getByRole('link', { name: first }).click();
    await page.waitForURL(`${service.url}/ui/jobs/${first}`);
    service.ground.let('turn');
    await service.ended(second);
  });

  variant('what is looked for is counted, marked, and gone to', async () => {
    const id = await startJob(service, [printLines(3000), `printf 'a \\033[31mre\\033[1md\\033[0m word\\n'`]);
    await service.ended(id);
    const page = await open(service, id);
    await page.keyboard.press('/');
    const field = page.getByRole('searchbox', { name: 'Find in the log' });
    await field.fill('000012');
    // 12, 120 to 129, 1200 to 1299.
    await page
      .getByText('1 of 1 lines')
      .or(page.getByText(/^1 of \d+ lines$/))
      .waitFor();
    await field.fill('LINE 00000000000250');
    await page.getByText('1 of 10 lines', { exact: true }).waitFor();
    await page.getByText(lineText(2500)).waitFor();
    await field.press('Enter');
    await page.getByText('2 of 10 lines', { exact: true }).waitFor();
    await field.press('Shift+Enter');
    await field.press('Shift+Enter');
    await page.getByText('10 of 10 lines', { exact: true }).waitFor();
    expect(await within(logOf(page).getByText('line 00000000000250').first(), 'element.tagName')).toBe(
      'MARK',
    );
    // Colours may change within what is looked for.
    await field.fill('red word');
    await page.getByText('1 of 1 lines', { exact: true }).waitFor();
    await look(page, 'job-find');
    await field.fill('nowhere');
    await page.getByText('no results').waitFor();
  });

  variant('an address names a line, or some; and one gets such an address', async () => {
    const id = await startJob(service, [printLines(5000)]);
    await service.ended(id);
    const page = await open(service, id, '#L2500-L2502');
    await page.getByRole('link', { name: 'Line 2500', exact: true }).waitFor();
    const rows = await rowsOnScreen(page);
    expect(rows.find(({ number }) => number === '2501')?.text).toBe(lineText(2501));
    await page.getByRole('link', { name: 'Line 2504', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#L2504');
    await page.getByRole('link', { name: 'Line 2506', exact: true }).click({ modifiers: ['Shift'] });
    expect(new URL(page.url()).hash).toBe('#L2504-L2506');
    await page.getByRole('textbox', { name: 'Go to line' }).fill('4711');
    await page.keyboard.press('Enter');
    await page.getByText(lineText(4711)).waitFor();
    expect(new URL(page.url()).hash).toBe('#L4711');
    const other = await open(service, id, '?line=77');
    await other.getByText(lineText(77)).waitFor();
  });

  variant('colours are shown, groups are folded, and the sentence about a failure stands out', async () => {
    const id = await startJob(service, [
      `cat ${fixture('collect.log')} ${fixture('errors/ansible-task-failed.log')}`,
      'exit 4',
    ]);
    await service.ended(id);
    const page = await open(service, id, '', { viewport: { width: 1280, height: 1400 } });
    await page
      .getByRole('group', { name: 'Error' })
      .getByText(/Ansible task .* failed on sw1/)
      .waitFor();
    const colour = async (text: string): Promise<string> =>
      within(logOf(page).getByText(text).first(), 'getComputedStyle(element).color');
    expect(await colour('FAILED!!!')).not.toBe(await colour('Starting external nodes'));
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.getByText('TASK [Find configuration collection script]').waitFor();
    const text = 'ok: [r2]';
    expect((await rowsOnScreen(page)).filter((row) => row.text === text)).toHaveLength(3);
    const heading = logOf(page)
      .getByText(/^TASK \[Find configuration/)
      .locator('..');
    await heading.getByRole('button', { name: 'Fold this group' }).click();
    await heading.getByRole('button', { name: 'Unfold this group' }).waitFor();
    expect((await rowsOnScreen(page)).filter((row) => row.text === text)).toHaveLength(2);
    // What is found in a group that is folded opens it.
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill('ok: [r2]');
    await page.getByText(/^1 of \d+ lines$/).waitFor();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Enter');
    await heading.getByRole('button', { name: 'Fold this group' }).waitFor();
    await look(page, 'job-failed');
  });

  test('a job is canceled and tried again from its page', async () => {
    const id = await startJob(service, ['echo it runs', 'wait_for never']);
    const page = await open(service, id);
    await page.getByText('it runs').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const sure = page.getByRole('dialog', { name: 'Cancel this create?' });
    await sure.getByText('The lab stays as it is.').waitFor();
    expect(await problemsInLooks(page, 'job-cancel')).toEqual([]);
    await sure.getByRole('button', { name: 'Let it run' }).click();
    expect((await service.job(id)).state).toBe('running');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await sure.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('The job was canceled here.').waitFor();
    await page.getByText('canceled', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText(`repeats ${id}`).waitFor();
    await page.getByText('it runs').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await sure.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('The job was canceled here.').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove this job?' });
    await question.getByText('its log').waitFor();
    await look(page, 'job-remove');
    await question.getByRole('button', { name: 'Remove the job' }).click();
    await page.waitForURL(`${service.url}/ui/jobs`);
  });

  variant('what a failed up may have left is taken down', async () => {
    const id = await startJob(service, [': >netlab.lock', 'exit 5'], { action: 'up' });
    const { error } = await service.ended(id);
    const page = await open(service, id);
    await page.getByText(String(error)).waitFor();
    await page.getByRole('button', { name: 'Take down the rest' }).click();
    await page.getByRole('heading', { name: /^down/ }).waitFor();
    await page.getByText('success', { exact: true }).first().waitFor();
    await page.goBack();
    await page.getByText(String(error)).waitFor();
    await page.getByRole('button', { name: 'Take down the rest' }).waitFor({ state: 'detached' });
  });

  test('nothing is lost or doubled when the service is killed and comes back', async () => {
    const ground = makeGround();
    const env = { LAB_API_PORT: String(await freePort()) };
    const first = await startProgram({ ground, env });
    const id = await startJob(first, [
      printLines(100),
      'wait_for killed',
      printLines(50),
      'wait_for back',
      printLines(25),
      'wait_for end',
    ]);
    const page = await open(first, id);
    await page.getByText(lineText(100)).waitFor();
    await first.end('SIGKILL');
    await page.getByText(/The service is not reachable/).waitFor();
    await look(page, 'job-away');
    ground.let('killed');
    await ground.waitsFor('back');
    const second = await startProgram({ ground, env });
    await page.getByRole('link', { name: 'Line 150', exact: true }).waitFor();
    ground.let('back');
    await page.getByRole('link', { name: 'Line 175', exact: true }).waitFor();
    ground.let('end');
    await page.getByText(/^End of the log/).waitFor();
    await page.getByRole('button', { name: 'To the beginning' }).click();
    const expected = (await second.logText(id)).trimEnd().split('\n');
    const seen = new Map<string, string>();
    await eventually('all rows were seen', async () => {
      const rows = await rowsOnScreen(page);
      // A page that is busy may have gone on by two screens when it is looked at.
      const isTooFar = Number(rows[0]?.number) > seen.size + 1;
      if (!isTooFar) for (const { number, text } of rows) seen.set(number, text);
      await logOf(page).press(isTooFar ? 'PageUp' : 'PageDown');
      return seen.size === expected.length;
    });
    expect(expected.map((_, index) => seen.get(String(index + 1)))).toEqual(expected);
  }, 180_000);

  variant('artifacts and the request stand beside the log', async () => {
    const workdir = service.ground.makeWorkdir('collected');
    const up = await service.start({ action: 'up', workdir, topology: topologyThat() });
    await service.ended(up);
    const id = await service.start({ action: 'collect', workdir });
    await service.ended(id);
    const page = await open(service, id);
    await page.getByRole('tab', { name: 'Artifacts 1' }).click();
    await page.getByRole('link', { name: 'config/r1.cfg' }).waitFor();
    await look(page, 'job-artifacts');
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText(/^curl -sS/).waitFor();
    await look(page, 'job-request');
    // The record of the job has a note in place of the topology.
    await page.goto(`${service.url}/ui/jobs/${up}`);
    await page.getByRole('tab', { name: 'Request' }).click();
    expect(await page.getByText(/^curl -sS/).innerText()).toContain(JSON.stringify(topologyThat()));
  });

  variant('axe finds nothing, wide, dark and narrow', async () => {
    const id = await startJob(service, [`cat ${fixture('errors/ansible-task-failed.log')}`, 'exit 4'], {
      body: { labels: { team: 'core' } },
    });
    await service.ended(id);
    const page = await open(service, id);
    await page.getByText('Fatal error in netlab up').first().waitFor();
    expect(await problemsInLooks(page, 'job-failed')).toEqual([]);
  });
});

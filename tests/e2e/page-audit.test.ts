/** The page of the audit, in a browser: what administrators see, filter and save there, and what others see. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { isLive } from '../support/page.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

const people = new People({ ann: { role: 'admin' }, olga: { role: 'operator' } });
const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const ground = makeGround();
const file = path.join(ground.root, 'audit.jsonl');

/** A line of a minute in the past. */
const lineOf = (minute: number, fields: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({
    time: new Date(Date.parse('2026-03-01T08:00:00Z') + minute * 60_000).toISOString(),
    event: 'request',
    requestId: `request-${minute}`,
    ...fields,
  })}\n`;

const ofAnn = { user: 'ann', role: 'admin', loggedInBy: 'password', address: '192.0.2.7' };
const ofOlga = {
  user: 'olga',
  role: 'operator',
  loggedInBy: 'token',
  address: '2001:db8:1234:5678:9abc:def0:1234:5678',
};

const lines = [
  ...Array.from({ length: 120 }, (_, minute) =>
    lineOf(minute, {
      ...ofAnn,
      operation: 'putFile',
      method: 'PUT',
      path: '/workspaces/w/files/a',
      workspace: 'w',
      file: 'a',
      status: 204,
    }),
  ),
  lineOf(200, {
    ...ofAnn,
    operation: 'submitJob',
    action: 'up',
    lab: '7',
    job: 'job-1768469400250-000002',
    workdir: '/labs/triangle',
    method: 'POST',
    path: '/jobs',
    status: 202,
    durationMs: 12,
  }),
  lineOf(201, {
    ...ofOlga,
    operation: 'removeImage',
    method: 'DELETE',
    path: '/images/frr',
    status: 403,
    error: 'forbidden',
  }),
  lineOf(202, {
    ...ofOlga,
    event: 'opened',
    operation: 'openNodeTerminal',
    lab: '7',
    node: 'h1',
    method: 'GET',
    path: '/labs/7/nodes/h1/terminal',
  }),
  lineOf(203, { event: 'more-refusals', address: '198.51.100.3', count: 40, requestId: undefined }),
  lineOf(204, { event: 'gap', count: 3, requestId: undefined }),
  lineOf(205, {
    address: '198.51.100.3',
    method: 'GET',
    path: `/${'x'.repeat(300)}`,
    status: 401,
    error: 'unauthorized',
  }),
  lineOf(206, {
    ...ofAnn,
    operation: 'retryJob',
    method: 'POST',
    path: '/jobs/job-1/retry',
    status: 503,
    error: 'storage-fault',
  }),
  lineOf(207, {
    ...ofAnn,
    operation: 'putWorkspace',
    workspace: 'w',
    method: 'PUT',
    path: '/workspaces/w',
    aborted: true,
  }),
].join('');

async function open(
  service: RunningService,
  query = '',
  name = 'ann',
): Promise<{ page: Page; complaints: readonly string[] }> {
  const visitor = await visit({ extraHTTPHeaders: people.as(name), locale: 'en-GB', timezoneId: 'UTC' });
  await visitor.page.goto(`${service.url}/ui/audit${query}`);
  await isLive(visitor.page);
  return visitor;
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Audit' }).getByRole('row');

describeInBrowser(missingForBrowser ?? 'the audit', () => {
  let service: RunningService;
  beforeAll(async () => {
    writeFileSync(file, lines);
    service = await startService({ ground, env: { LAB_API_AUDIT_FILE: file }, admit: people.admit });
  });

  test('lists who did what, newest first, and loads older lines', async () => {
    const { page, complaints } = await open(service);
    const refused = rowsOf(page).filter({ hasText: 'removeImage' });
    await refused.getByText('403 forbidden').waitFor();
    expect(await refused.innerText()).toMatch(
      /01\/03\/2026, 11:21:00\s+olga\s+2001:db8:.*\s+removeImage DELETE \/images\/frr/,
    );
    for (const words of [
      '3 lines are only in the log of the service',
      '40 more requests',
      'broken off',
      '503 storage-fault',
    ])
      await page.getByText(words).first().waitFor();
    expect(await rowsOf(page).nth(1).innerText()).toContain('putWorkspace');
    await page.getByText(/^100 lines, back to 01\/03\/2026, 08:28/).waitFor();
    expect(await problemsInLooks(page, 'audit')).toEqual([]);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('128 lines in total').waitFor();
    expect(await rowsOf(page).count()).toBe(129);

    appendFileSync(
      file,
      lineOf(300, { ...ofAnn, operation: 'putImage', method: 'PUT', path: '/images/new', status: 200 }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowsOf(page).filter({ hasText: 'putImage' }).waitFor();
    await page.getByRole('button', { name: 'Load more' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('has its filters in the address', async () => {
    const { page } = await open(service, '?user=olga');
    await page.getByText('3 lines in total').waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'with an error', exact: true }).click();
    await page.getByText('2 lines in total').waitFor();
    expect(new URL(page.url()).search).toBe('?user=olga&refused=true');
    await page.getByRole('combobox', { name: 'Action or operation' }).fill('termin');
    await page.getByRole('option', { name: 'openNodeTerminal', exact: true }).click();
    await page.getByText('1 line in total').waitFor();
    expect(new URL(page.url()).search).toBe('?user=olga&action=openNodeTerminal&refused=true');
    await page.getByRole('combobox', { name: 'Action or operation' }).fill('up');
    await page.getByRole('option', { name: 'up', exact: true }).click();
    await page.getByText('1 line in total').waitFor();
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'in the last hour' }).click();
    await page.getByRole('heading', { name: 'No line matches' }).waitFor();
    expect(await problemsInLooks(page, 'audit-none')).toEqual([]);
    await page.getByRole('button', { name: 'Show the whole audit' }).click();
    await page.getByRole('button', { name: 'Load more' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('says why it cannot go on after a rotation, and begins anew', async () => {
    const before = readFileSync(file);
    const { page } = await open(service, '?user=ann');
    await page.getByRole('button', { name: 'Load more' }).waitFor();
    writeFileSync(
      file,
      lineOf(400, { ...ofAnn, operation: 'forgetHost', method: 'DELETE', path: '/hosts/b', status: 204 }),
    );
    await page.getByRole('button', { name: 'Load more' }).click();
    await page
      .getByText(/was rotated or shortened/)
      .first()
      .waitFor();
    await look(page, 'audit-rotated');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 line in total').waitFor();
    writeFileSync(file, before);
  });

  test('is neither in the menu nor in the search of others, and says whose it is', async () => {
    const { page } = await open(service, '', 'olga');
    await page.getByRole('heading', { name: 'The audit is for administrators' }).waitFor();
    expect(await problemsInLooks(page, 'audit-of-others')).toEqual([]);
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()).toEqual(
      ['Labs', 'Jobs', 'Workspaces', 'Snapshots', 'Settings'],
    );
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search' }).fill('audit');
    await page.getByText('No results').waitFor();
  });

  test('names the setting when there is no file', async () => {
    const plain = await startService();
    const { page } = await visit();
    await page.goto(`${plain.url}/ui/`);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'The audit is not kept in a file' }).waitFor();
    await page.getByText('LAB_API_AUDIT_FILE').waitFor();
    expect(await problemsInLooks(page, 'audit-no-file')).toEqual([]);
  });

  test('of an empty file says what will be there, and saves what the filters leave', async () => {
    const env = { LAB_API_AUDIT_FILE: path.join(ground.root, 'new.jsonl') };
    const fresh = await startService({ env });
    const { page } = await visit();
    await page.goto(`${fresh.url}/ui/audit?action=putWorkspace`);
    await page.getByRole('heading', { name: 'No line matches' }).waitFor();
    await page.getByRole('button', { name: 'Show the whole audit' }).click();
    await page.getByRole('heading', { name: 'No lines yet' }).waitFor();

    for (const target of ['/workspaces/course', '/workspaces/course/files/a'])
      await fresh.request(target, { method: 'PUT' });
    await eventually('both lines', async () => {
      const { entries } = (await fresh.get('/audit')).json;
      return entries.length === 2;
    });
    await page.goto(`${fresh.url}/ui/audit?action=putWorkspace`);
    await page.getByText('1 line in total').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /^CSV/ }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('audit.csv');
    const [, line, ...rest] = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(line).toContain(',putWorkspace,');
    expect(rest).toEqual(['']);
  });
});

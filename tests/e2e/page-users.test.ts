/** Users, tokens and sessions on the page, as an administrator and another user see them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { fillInLogin, isLive } from '../support/page.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

let service: RunningProgram;
let team: Team;
beforeAll(async () => {
  const ground = makeGround();
  team = await makeTeam(ground.root);
  service = await startProgram({ ground, env: team.env });
});

async function pageOf(place: string, user: 'ops' | 'vera'): Promise<Page> {
  const { page } = await visit();
  await page.goto(`${service.url}/ui${place}`);
  await fillInLogin(page, { user, password: passwords[user] });
  await isLive(page);
  return page;
}

const rowOf = (page: Page, name: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Actions of ${name}`, exact: true }) });

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const statusAs = async (headers: Record<string, string>): Promise<number> =>
  (await service.get('/session', headers)).status;

describeInBrowser(missingForBrowser ?? 'users on the page, in Chromium', () => {
  test('are added, changed, locked and removed by an administrator', async () => {
    const page = await pageOf('/users', 'ops');
    await rowOf(page, 'ops').getByText('you', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('dan');
    await page.getByRole('textbox', { name: 'Password (optional)' }).fill('short');
    await page.getByText('must have 8 to 1024 characters').waitFor();
    await page.getByRole('textbox', { name: 'Password (optional)' }).fill('a long password');
    await page.getByRole('checkbox', { name: 'Limit the user to directories' }).check();
    await page.getByRole('textbox', { name: 'Directories' }).fill('/labs/dan\n');
    await look(page, 'users-add');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await rowOf(page, 'dan').getByText('/labs/dan').waitFor();
    await rowOf(page, 'dan').getByText('viewer', { exact: true }).waitFor();
    const dan = basic('dan', 'a long password');
    expect(await statusAs(dan)).toBe(200);
    await act(page, 'dan', 'Role and directories…');
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'operator: also starts' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'dan').getByText('operator', { exact: true }).waitFor();
    await act(page, 'dan', 'Lock…');
    await page.getByRole('button', { name: 'Lock dan' }).click();
    await rowOf(page, 'dan').getByText('locked').waitFor();
    expect(await statusAs(dan)).toBe(401);
    expect(
      await problemsInLooks(page, 'users', { isReady: async () => rowOf(page, 'dan').waitFor() }),
    ).toEqual([]);
    await act(page, 'dan', 'Remove…');
    await page.getByRole('button', { name: 'Remove dan' }).click();
    await rowOf(page, 'dan').waitFor({ state: 'detached' });
  });

  test('have tokens that an administrator makes and revokes', async () => {
    const page = await pageOf('/users', 'ops');
    await act(page, 'ci', 'Tokens…');
    const dialog = page.getByRole('dialog', { name: 'Tokens of ci' });
    await rowOf(page, 'ci').getByText('2 (1 expired)').waitFor();
    await dialog.getByText('tok_0000000d').waitFor();
    await dialog.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('textbox', { name: 'Purpose' }).fill('nightly tests');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = (await dialog.locator('pre').textContent()) ?? '';
    expect(await statusAs(bearer(secret))).toBe(200);
    await look(page, 'users-token');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await dialog
      .getByRole('row', { name: /nightly tests/ })
      .getByRole('button')
      .click();
    const question = page.getByRole('dialog', { name: 'Revoke nightly tests?' });
    await question.getByRole('button', { name: /^Revoke tok/ }).click();
    await dialog.getByText('nightly tests').waitFor({ state: 'detached' });
    expect(await statusAs(bearer(secret))).toBe(401);
    expect(await statusAs(bearer(tokens.ci))).toBe(200);
  });

  test('change their own password, and see and end their sessions', async () => {
    const [other, page] = [await pageOf('/settings', 'vera'), await pageOf('/settings', 'vera')];
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    const sessions = page.getByRole('table', { name: 'Sessions of vera' });
    await sessions.getByText('Chrome on Linux').nth(1).waitFor();
    expect(await sessions.getByText('this one').count()).toBe(1);
    expect(await problemsInLooks(page, 'settings-account')).toEqual([]);
    await sessions.getByRole('button', { name: /^End the session/ }).click();
    await other.getByRole('dialog', { name: 'Your login has ended' }).waitFor();
    await page.getByRole('textbox', { name: 'Present password' }).fill('wrong');
    for (const name of ['New password', 'New password again'])
      await page.getByRole('textbox', { name, exact: true }).fill('a new password');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('This is not your present password').waitFor();
    await page.locator('input:focus').and(page.getByLabel('Present password')).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Present password' }).fill(passwords.vera);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await isLive(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await statusAs(basic('vera', 'a new password'))).toBe(200);
    await page.goto(`${service.url}/ui/users`);
    await page.getByRole('heading', { name: 'For administrators' }).waitFor();
  });

  test('cannot change what the service cannot write, and read why', async () => {
    const own = await makeTeam(makeGround().root);
    const fixed = await startProgram({ ground: makeGround(), env: own.env });
    await fixed.request('/tokens', { method: 'POST', headers: basic('vera', passwords.vera), body: {} });
    const { page } = await visit();
    await page.goto(`${fixed.url}/ui/settings`);
    await fillInLogin(page, { user: 'vera', password: passwords.vera });
    await page.getByRole('button', { name: /^Revoke tok_/ }).waitFor();
    expect(await problemsInLooks(page, 'settings-tokens')).toEqual([]);
    rmSync(own.file);
    await page.reload();
    await page.getByText('ask an administrator').waitFor();
    await page.getByRole('table', { name: 'Tokens of vera' }).waitFor();
    for (const name of [/^Revoke/, 'New token', 'Change the password'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await problemsInLooks(page, 'settings-read-only')).toEqual([]);
  });
});

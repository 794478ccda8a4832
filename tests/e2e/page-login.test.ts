/** Logging in and out on the page, as a person sees it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { hashPassword } from '../../src/access/passwords/password-hash.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { fillInLogin, isLive } from '../support/page.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';
import { makeTeam, passwords, tokens, type Team } from '../support/team.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const ops = { user: 'ops', password: passwords.ops };
const vera = { user: 'vera', password: passwords.vera };

async function logIn(page: Page, url: string, who = ops): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
  await fillInLogin(page, who);
  await isLive(page);
}

/** One more page of the same browser. */
async function anotherPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await isLive(page);
  return page;
}

async function logOut(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: `User ${user}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
}

const ended = (page: Page) => page.getByRole('dialog', { name: 'Your login has ended' });

describeInBrowser(missingForBrowser ?? 'on a server with users, in Chromium', () => {
  let service: RunningProgram;
  let team: Team;
  beforeAll(async () => {
    const ground = makeGround();
    team = await makeTeam(ground.root);
    service = await startProgram({ ground, env: team.env });
  });

  test('whoever comes logs in on a page of its own, with the keyboard alone', async () => {
    const { page } = await visit();
    await page.goto(`${service.url}/ui/settings`);
    await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
    await page.getByText(new URL(service.url).host).waitFor();
    await page.getByText('lab user add NAME').waitFor();
    await look(page, 'login');
    await page.keyboard.type(ops.user);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ops.password);
    await page.keyboard.press('Enter');
    // Where one wanted to go.
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await isLive(page);
    await page.getByRole('button', { name: 'User ops' }).click();
    await page.getByText('admin', { exact: true }).waitFor();
    await page.getByText(/^login expires in \d+ h/).waitFor();
    await look(page, 'user-menu');
  });

  test('what is wrong is said, and can be mended', async () => {
    const { page } = await visit();
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
    await fillInLogin(page, { user: 'ops', password: 'wrong' });
    await page.getByRole('alert').getByText('The user or the password is wrong.').waitFor();
    await look(page, 'login-wrong');
    await fillInLogin(page, ops);
    await isLive(page);
  });

  test('a refusal of a request from before the session asks for no login', async () => {
    const { page } = await visit();
    await logIn(page, service.url);
    await page.route(/\/sessions\?/, async (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
    const checked = page.waitForResponse((reply) => reply.url().endsWith('/session') && reply.ok());
    await page.getByRole('link', { name: 'Settings' }).click();
    await checked;
    await ended(page).waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Sessions of ops' }).waitFor();
  });

  variant('a token is as good', async () => {
    const { page } = await visit();
    await page.goto(service.url);
    await page.getByRole('radio', { name: 'Password' }).press('ArrowRight');
    await page.getByRole('textbox', { name: 'Token' }).fill(tokens.ci);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'User ci' }).waitFor();
  });

  variant(
    'a logout in one page asks the others for a login, and they go on with the next one of that user',
    async () => {
      const { page } = await visit();
      await logIn(page, service.url);
      const other = await anotherPage(page.context(), `${service.url}/ui/settings`);
      await logOut(page, 'ops');
      await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
      await other.getByRole('dialog', { name: 'You have logged out' }).waitFor();
      await look(other, 'logged-out-elsewhere');
      await fillInLogin(page, ops);
      await isLive(page);
      await isLive(other);
      expect(await other.getByRole('dialog').count()).toBe(0);
    },
  );

  test('another user than before finds nothing of the one before', async () => {
    const { page } = await visit();
    await logIn(page, service.url);
    const other = await anotherPage(page.context(), `${service.url}/ui/settings`);
    await logOut(page, 'ops');
    await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
    await fillInLogin(page, vera);
    await other.getByRole('button', { name: 'User vera' }).waitFor();
    expect(await other.getByText('ops', { exact: true }).count()).toBe(0);
  });

  variant('a page that asks for a login does not report a lost connection', async () => {
    const { page } = await visit();
    await page.route(/\/events$/, async (route) => route.abort());
    await page.goto(service.url);
    await fillInLogin(page, ops);
    const lost = page.getByText('No connection to the service');
    await lost.waitFor();
    await page.evaluate("fetch('/session', { method: 'DELETE' })");
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await ended(page).waitFor();
    await lost.waitFor({ state: 'detached' });
  });

  variant(
    'a browser is never made to ask with a window of its own, also where it does not say that a page asks',
    async () => {
      // Not a name of this machine: to servers of plain HTTP elsewhere, browsers send no Sec-Fetch headers.
      const elsewhere = service.url.replace('127.0.0.1', 'lab.test');
      const { page } = await visit();
      const challenges: (string | undefined)[] = [];
      page.on('response', (response) => {
        if (response.status() === 401) challenges.push(response.headers()['www-authenticate']);
      });
      await page.goto(`${elsewhere}/ui/`);
      await page.getByRole('heading', { name: 'Log in to lab-api' }).waitFor();
      await fillInLogin(page, { user: 'ops', password: 'wrong' });
      await page.getByRole('alert').waitFor();
      expect(challenges.length).toBeGreaterThan(1);
      expect(challenges.filter((challenge) => challenge?.includes('Basic'))).toEqual([]);
      await fillInLogin(page, ops);
      await isLive(page);
    },
  );
});

describeInBrowser(missingForBrowser ?? 'when a login ends while one works', () => {
  test('the page stays as it is, and goes on after the next login', async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const service = await startProgram({ ground, env: team.env });
    const { page } = await visit();
    await logIn(page, service.url);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.evaluate("document.querySelector('main').setAttribute('data-kept', 'yes')");
    // An administrator changes the password: all sessions of that user end.
    const password = await hashPassword('another');
    team.change((users) => users.map((user) => (user.name === 'ops' ? { ...user, password } : user)));
    await ended(page).waitFor();
    await look(page, 'login-ended');
    await fillInLogin(page, { user: 'ops', password: 'another' });
    await isLive(page);
    expect(await ended(page).count()).toBe(0);
    // It is the same page, not a new one.
    expect(await page.locator('[data-kept]').count()).toBe(1);
  });

  variant('an address that is locked out is told how long, and may try again then', async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const service = await startProgram({ ground, env: team.env });
    for (let guess = 0; guess < 30; guess += 1) await service.post('/session', { token: `${guess}` });
    const { page } = await visit();
    await page.clock.install();
    await page.goto(service.url);
    await page.getByText('Too many attempts').waitFor();
    await look(page, 'login-locked');
    await page.getByRole('textbox', { name: 'User' }).fill('ops');
    await page.getByRole('textbox', { name: 'Password' }).fill('x');
    expect(await page.getByRole('button', { name: 'Log in' }).isDisabled()).toBe(true);
    await page.clock.fastForward('30:00');
    await page.getByText('You can try again now.').waitFor();
    expect(await page.getByRole('button', { name: 'Log in' }).isEnabled()).toBe(true);
  });
});

describeInBrowser(missingForBrowser ?? 'where nobody logs in on the page', () => {
  variant('a user whom a trusted proxy names is there at once, and cannot log out here', async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const service = await startProgram({
      ground,
      env: { ...team.env, LAB_API_TRUSTED_PROXIES: '127.0.0.1', LAB_API_PROXY_USER_HEADER: 'X-User' },
    });
    const { page } = await visit({ extraHTTPHeaders: { 'X-User': 'vera' } });
    await page.goto(service.url);
    await page.getByRole('button', { name: 'User vera' }).click();
    await page.getByText('logged in by the proxy').waitFor();
    expect(await page.getByRole('menuitem', { name: 'Log out' }).count()).toBe(0);
  });
});

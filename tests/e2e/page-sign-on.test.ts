/** Single sign-on in a browser, at a real identity provider. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { isLive } from '../support/page.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { startProvider, type Provider } from '../support/sign-on.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const name = 'Example <University>';
const toProvider = (page: Page) => page.getByRole('link', { name: `Log in with ${name}` });

/** Fills in the forms of the provider: the login, and the user's consent. */
async function logInAtProvider(page: Page, user: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(user);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describeInBrowser(missingForBrowser ?? 'on a server with an identity provider, in Chromium', () => {
  let service: RunningProgram;
  let provider: Provider;
  beforeAll(async () => {
    const port = String(await freePort());
    provider = await startProvider(`http://127.0.0.1:${port}`);
    for (const [user, groups] of Object.entries({ ann: ['netops'], tom: ['students'] }))
      await provider.setGroups(user, groups);
    const own = { LAB_API_PORT: port, LAB_API_OIDC_NAME: name, LAB_API_OIDC_CHECK: '200ms' };
    service = await startProgram({ env: { ...provider.env, ...own } });
  });

  test('a user logs in at the provider, comes back to where they wanted to go, and logs out there too', async () => {
    const { page } = await visit();
    await page.goto(`${service.url}/ui/settings`);
    await toProvider(page).waitFor();
    // There are no passwords here.
    expect(await page.getByRole('textbox').count()).toBe(0);
    await look(page, 'sign-on');
    await toProvider(page).click();
    await logInAtProvider(page, 'ann');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await isLive(page);
    await page.getByText('at the identity provider', { exact: true }).waitFor();
    await look(page, 'sign-on-settings');
    await page.getByRole('button', { name: 'User ann' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    // Back from the provider, which asks for a login again.
    await toProvider(page).click();
    await page.getByPlaceholder('Enter any login').waitFor();
  });

  test('a user without a role sees the reason, and the request that the log explains', async () => {
    const { page } = await visit();
    await page.goto(service.url);
    await toProvider(page).click();
    await logInAtProvider(page, 'eve');
    const alert = page.getByRole('alert');
    await alert.getByText('You were not let in.').waitFor();
    const [, request = ''] = /request (\S+)\.$/.exec((await alert.textContent()) ?? '') ?? [];
    expect(service.run.output()).toContain(`requestId=${request} cause="\\"eve\\" has no role`);
    await look(page, 'sign-on-refused');
    await page.reload();
    await toProvider(page).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('the button works at addresses that people write, and with an error that is none', async () => {
    const { page } = await visit();
    for (const address of ['/ui', '/ui//jobs', '/ui/?login=__proto__']) {
      await page.goto(service.url + address);
      await toProvider(page).click();
      await page.getByPlaceholder('Enter any login').waitFor();
    }
  });

  test('a page whose session was ended by the provider stays, and goes on after a login in a new window', async () => {
    const { page } = await visit();
    await page.goto(`${service.url}/ui/jobs`);
    await toProvider(page).click();
    await logInAtProvider(page, 'tom');
    await isLive(page);
    await provider.setGroups('tom', []);
    const over = page.getByRole('dialog', { name: 'Your login has ended' });
    await over.waitFor();
    await look(page, 'sign-on-again');
    await provider.setGroups('tom', ['students']);
    const [other] = await Promise.all([page.context().waitForEvent('page'), toProvider(page).click()]);
    await isLive(other);
    await other.close();
    await page.bringToFront();
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await over.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'User tom' }).waitFor();
  });
});

/** What tests of the page do on any of its pages. */
import type { Page } from 'playwright-core';

/** Waits until the page follows what happens on the server. */
export async function isLive(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connection: live' }).waitFor();
}

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Types into the login form, and sends it. */
export async function fillInLogin(page: Page, { user, password }: Login): Promise<void> {
  await page.getByRole('textbox', { name: 'User' }).fill(user);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** What tests of the page do on any of its pages. */
import type { Page } from 'playwright-core';

/** Waits until the page follows what happens on the server. */
export async function isLive(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connection: live' }).waitFor();
}

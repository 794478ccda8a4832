/** The terminals of a page, as tests find them. */
import type { Locator, Page } from 'playwright-core';

/** A line on the screen of the terminal that is shown, as a screen reader has it. */
export const line = (page: Page, text: RegExp): Locator =>
  page.getByRole('listitem').filter({ hasText: text }).first();
export const ready = async (page: Page): Promise<void> => line(page, /[#$] *$/).waitFor();
/** What a terminal is chosen with, where several are open. */
export const openTerminal = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Open terminals' }).getByRole('button', { name, exact: true });

/** Jobs for the tests of the pages about jobs: they print what a test wants, and run until it lets them end. */
import type { Locator, Page } from 'playwright-core';
import { within } from './browser.ts';
import { topologyThat, type RunningProgram } from './service.ts';

let count = 0;

interface Wanted {
  readonly action?: 'up' | 'create';
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Starts a job that runs these shell commands, in a directory of its own. */
export async function startJob(
  service: RunningProgram,
  commands: readonly string[],
  { action = 'create', body = {} }: Wanted = {},
): Promise<string> {
  count += 1;
  const workdir = service.ground.makeWorkdir(`job-${count}`);
  return service.start({ action, workdir, topology: topologyThat(...commands), ...body });
}

/** A shell command that prints `lines` numbered lines of 64 bytes each, quickly. */
export const printLines = (lines: number): string => `seq -f 'line %015.0f ${'.'.repeat(42)}' 1 ${lines}`;

/** What `printLines` prints as its line with that number. */
export const lineText = (number: number): string =>
  `line ${String(number).padStart(15, '0')} ${'.'.repeat(42)}`;

export const logOf = (page: Page): Locator => page.getByRole('region', { name: 'Log' });

/** The texts of the rows on the screen, with their numbers, from the top. */
export async function rowsOnScreen(page: Page): Promise<readonly { number: string; text: string }[]> {
  return within(
    logOf(page),
    `(() => {
    const box = element.getBoundingClientRect();
    const rows = [...element.querySelectorAll('a[aria-label]')].map((link) => link.parentElement);
    return rows.flatMap((row) => {
      const place = row?.getBoundingClientRect();
      const isSeen = place && place.top >= box.top && place.bottom <= box.bottom;
      if (!row || !isSeen) return [];
      const [link, , text] = row.children;
      return [{ number: link?.textContent ?? '', text: text?.textContent ?? '' }];
    });
  })()`,
  );
}

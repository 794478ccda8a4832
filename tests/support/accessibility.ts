/** What axe objects to on a page (WCAG 2.2 A and AA, and its own best practices). */
import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Each objection with its places, for a person to read. Colours are looked at as they are: wait for what fades in. */
export async function objectionsOn(page: Page): Promise<string[]> {
  // Not as a script of the page: its policy allows none but its own files.
  await page.evaluate(source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, help, nodes }) =>
    [
      `${id}: ${help}`,
      ...nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`),
    ].join('\n  '),
  );
}

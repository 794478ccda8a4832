/** What axe objects to on a page (WCAG 2.2 A and AA, and its own best practices), and how a page looks in other windows. */
import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { look } from './browser.ts';
import { isThorough } from './thorough.ts';

const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for the next frames, and for the end of what fades in: it has its own colours only then. */
async function rest(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => undefined)`);
}

/** The same page in dark colours differs in nothing else. */
const colourRules: axe.RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

interface Examination {
  /** A selector of the only elements to examine. */
  readonly part?: string;
  /** Some of the rules instead of all. */
  readonly rules?: axe.RunOptions;
}

/** Each objection with its places, for a person to read. */
export async function objectionsOn(page: Page, { part, rules }: Examination = {}): Promise<string[]> {
  await rest(page);
  // Not as a script of the page: its policy allows none but its own files.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(source);
  // Without the elements that pass, whose selectors would take most of the time.
  const options = { ...rules, resultTypes: ['violations'], preload: false } satisfies axe.RunOptions;
  const context = part === undefined ? 'document' : JSON.stringify(part);
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, help, nodes }) =>
    [
      `${id}: ${help}`,
      ...nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`),
    ].join('\n  '),
  );
}

const windows = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } };

/** Buttons beyond the edge of what they are in, where it neither scrolls nor ends in dots; and tables that scroll sideways, but for the text of a file in them. */
const cutOff = `[
  ...[...document.querySelectorAll('button')].filter((button) => {
    const { right, width } = button.getBoundingClientRect();
    for (let around = button.parentElement; width > 1 && around; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around);
      if (overflowX === 'auto' || overflowX === 'scroll') return false;
      if (overflowX !== 'visible' && right > around.getBoundingClientRect().right + 1) return true;
    }
    return false;
  }),
  ...[...document.querySelectorAll('.mantine-TableScrollContainer-scrollContainer .mantine-ScrollArea-viewport:not([role])')].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
  ),
].map((element) => element.getAttribute('aria-label') ?? element.textContent)`;

interface Looks {
  /** Waits for what a change of the size of the page opens again. */
  readonly isReady?: () => Promise<void>;
  readonly part?: string;
}

/**
 * What is wrong with a page that is wide, dark or as narrow as a phone: objections of axe, and contents that are wider than the
 * window. The page stays open meanwhile, and is wide and light afterwards. Without `LAB_TEST_THOROUGH`, only the wide page is
 * examined.
 */
export async function problemsInLooks(page: Page, name: string, looks: Looks = {}): Promise<string[]> {
  const found: string[] = [];
  const examine = async (where: string, rules?: axe.RunOptions): Promise<void> => {
    await looks.isReady?.();
    const objections = await objectionsOn(page, { ...looks, ...(rules && { rules }) });
    await look(page, `${name}-${where}`);
    found.push(...objections.map((objection) => `${name}, ${where}: ${objection}`));
    const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    for (const cut of await page.evaluate<string[]>(cutOff))
      found.push(`${name}, ${where}: ${cut.slice(0, 60)} is cut off`);
    if (excess > 0) found.push(`${name}, ${where}: ${excess} px too wide`);
  };
  await page.setViewportSize(windows.wide);
  await examine('wide');
  if (!isThorough) return found;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  await examine('dark', colourRules);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(windows.narrow);
  await examine('narrow');
  await page.setViewportSize(windows.wide);
  return found;
}

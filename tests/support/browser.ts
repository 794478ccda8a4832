/** Chromium for the tests of the page: started once per file, with what it complains about. */
import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { browserPrograms } from '../../scripts/lib/browser.mjs';
import { requirement } from './requirements.ts';
import { takeTurn } from './turn.ts';

const program = browserPrograms.map(requirement).find(({ missing }) => missing === undefined);

/** Why there is no browser here; undefined when there is one. */
export const missingForBrowser = program ? undefined : 'chromium is not on PATH';

/** Without a way to the internet, a browser that asks its maker for news waits for an answer. */
const flags = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A name that is not of this machine, as browsers see it: they trust plain HTTP to that less.
  '--host-resolver-rules=MAP lab.test 127.0.0.1',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

let browser: Promise<Browser> | undefined;

// A browser, a service and a lab at a time are enough for a machine of two cores that runs other tests besides.
jest.setTimeout(240_000);
let giveTurn = (): void => undefined;
/** Opened by the test that runs. A page that stays open follows all that later tests do, and draws it. */
let opened: BrowserContext[] = [];
beforeEach(() => {
  // What a file has opened for all its tests stays.
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map(async (context) => context.close()));
});
beforeAll(async () => {
  if (program) giveTurn = await takeTurn('browser');
}, 1_500_000);
afterAll(async () => {
  await (await browser)?.close();
  giveTurn();
});

export interface Visitor {
  readonly page: Page;
  /** What the browser complained of, in its console: violations of the content security policy and errors of scripts. */
  readonly complaints: readonly string[];
}

/** A browser of somebody's own, with cookies of its own, that has nothing open. */
export async function visit(options: BrowserContextOptions = {}): Promise<Visitor> {
  browser ??= chromium.launch({ executablePath: program?.file ?? '', args: flags });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  opened.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  goOnWithNetwork(page);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    if (message.type() !== 'error' || isOfNetwork(message.text()) || isPicture.test(url)) return;
    complaints.push(`${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  return { page, complaints };
}

/** In the card of a lab: the labs of tests may have no topology, and so no picture. */
const isPicture = /\/topology\.svg$/;

/** Other tests start labs meanwhile, and the addresses of this machine change: the browser gives up what it was about to load. */
const isOfNetwork = (text: string): boolean => /ERR_NETWORK_CHANGED|chrome-error:/.test(text);

/** The page asks again for what the browser gave up by itself; a test asks again for the page. */
function goOnWithNetwork(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  let hasLost = false;
  page.on('requestfailed', (request) => {
    if (isOfNetwork(request.failure()?.errorText ?? '') && request.resourceType() !== 'fetch') hasLost = true;
  });
  const again = async <T>(load: () => Promise<T>): Promise<T> => {
    hasLost = false;
    try {
      const loaded = await load();
      if (!hasLost) return loaded;
    } catch (error) {
      if (!isOfNetwork(String(error))) throw error;
    }
    return again(load);
  };
  page.goto = async (...args) => again(async () => goto(...args));
  page.reload = async (...args) => again(async () => reload(...args));
}

/**
 * What this expression gives in the page, where `element` is the element. Playwright calls functions only: a text
 * that is a function is never called, and gives undefined.
 */
export async function within<Result>(locator: Locator, expression: string): Promise<Result> {
  // oxlint-disable-next-line typescript/no-implied-eval -- our own text, for the page
  const compute = new Function('element', `return ${expression}`) as (element: HTMLElement) => Result;
  return locator.evaluate<Result, HTMLElement>(compute);
}

/**
 * A picture of the page for a person to look at, in the directory that `LAB_TEST_SCREENSHOTS` names; nothing where it is not
 * set.
 */
export async function look(page: Page, name: string): Promise<void> {
  const directory = process.env['LAB_TEST_SCREENSHOTS'];
  if (directory !== undefined && existsSync(directory))
    await page.screenshot({ path: path.join(directory, `${name}.png`) });
}

/** What the tests of the labs page and of its dialog do again and again. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { visit } from './browser.ts';
import { startProgram, type RunningProgram } from './service.ts';

interface EngineGround {
  /** Two that can be started here (`twohosts`, `triangle`), and one that cannot (`switches`). */
  readonly templates: string;
  /** A service with the bundled engine; its workspaces are below `root`, where labs are taken down when it is gone. */
  readonly startEngine: (
    more?: Readonly<Record<string, string>>,
  ) => Promise<{ service: RunningProgram; workspaces: string }>;
}

export function engineGround({ root, home }: { readonly root: string; readonly home: string }): EngineGround {
  const templates = path.join(root, 'templates');
  mkdirSync(path.join(templates, 'eos'), { recursive: true });
  const switches = 'name: switches\ndefaults.device: eos\nnodes: [s1, s2]\nlinks: [s1-s2]\n';
  writeFileSync(path.join(templates, 'eos', 'topology.yml'), switches);
  for (const name of ['two-hosts', 'triangle'])
    cpSync(path.join('examples', name), path.join(templates, name), { recursive: true });
  return {
    templates,
    startEngine: async (more = {}) => {
      const workspaces = mkdtempSync(path.join(root, 'workspaces-'));
      const env = {
        LAB_API_CLI: 'engine',
        LAB_HOME: home,
        LAB_API_TEMPLATES_DIR: templates,
        LAB_API_WORKSPACES_DIR: workspaces,
        ...more,
      };
      return { service: await startProgram({ env }), workspaces };
    },
  };
}

/** The labs page of the service, in a browser of its own. */
export async function openLabs(service: RunningProgram, address = '') {
  const visitor = await visit();
  await visitor.page.goto(`${service.url}/ui/${address}`);
  return visitor;
}

export function labCard(page: Page, id: string): Locator {
  const cards = page.getByRole('list', { name: 'Labs' }).getByRole('listitem');
  return cards.filter({ has: page.getByTitle('lab instance').getByText(id, { exact: true }) });
}

export const actionsOf = (page: Page, id: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^Actions of lab .* \\(${id}\\)$`) });

export const stopDialog = (page: Page, id: string): Locator =>
  page.getByRole('dialog', { name: new RegExp(`^Stop .* \\(${id}\\)\\?$`) });

/** Gives the lab a number, in the dialog that starts it. */
export async function giveNumber(page: Page, id: string): Promise<void> {
  await page.getByLabel('Lab ID', { exact: true }).selectOption('number');
  await page.getByLabel('Lab ID: the number').fill(id);
}

/** Presses the key until what is wanted has the focus. */
export async function pressTo(page: Page, key: 'Tab' | 'Shift+Tab', wanted: Locator): Promise<void> {
  const focused = wanted.and(page.locator(':focus'));
  // The input of a terminal takes no room.
  await wanted.first().waitFor({ state: 'attached' });
  for (let steps = 0; steps < 200; steps += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the ${key} key does not lead to ${String(wanted)}`);
}

/** Pages with the drawing of a topology beside its text. */
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { editorOf, workspacePages } from './workspace-pages.ts';

export const officeDrawing = `name: office
defaults.device: linux
# The desks
nodes:
  h1:
  h2:
  h3:
  h4:
links:
- h1-h2 # the old cable
`;

export const nodeIn = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${name} linux, `) });
export const lineIn = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^link ${name}(,|$)`) });
export const isSelected = (part: Locator): Locator => part.and(part.page().locator('[aria-pressed="true"]'));
export const canvasOf = (page: Page): Locator =>
  page.getByRole('application', { name: 'Drawing of topology.yml' });

export async function middleOf(locator: Locator): Promise<[number, number]> {
  const { x, y, width, height } = (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return [x + width / 2, y + height / 2];
}

/** Starts the service before the tests of the file. */
export function drawnPages() {
  const root = temporaryDirectory();
  const { service, workspaceWith, write, openAs } = workspacePages({ root, home: path.join(root, 'home') });

  async function open(name: string, text = officeDrawing, user: 'ops' | 'vera' = 'ops') {
    await workspaceWith(name, { 'topology.yml': text });
    const visitor = await openAs(user, `/workspaces/${name}?file=topology.yml&view=both`, {
      viewport: { width: 1600, height: 900 },
    });
    await nodeIn(visitor.page, 'h1').waitFor();
    const hasText = async (part: string): Promise<unknown> =>
      eventually(`“${part}” in the text`, async () =>
        ((await editorOf(visitor.page).innerText()) ?? '').includes(part),
      );
    return { ...visitor, hasText };
  }
  return { service, write, open, openAs };
}

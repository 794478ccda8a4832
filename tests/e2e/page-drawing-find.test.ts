/** Ways into the drawing of a topology: its search, the cursor of the text, and the palette. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, within } from '../support/browser.ts';
import {
  canvasOf,
  drawnPages,
  isSelected,
  lineIn,
  middleOf,
  nodeIn,
  officeDrawing,
} from '../support/drawn-pages.ts';
import { eventually } from '../support/eventually.ts';
import { variants } from '../support/thorough.ts';
import { editorOf } from '../support/workspace-pages.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const focusedIn = (page: Page): Locator => page.locator(':focus');
const textLine = (page: Page, text: string): Locator =>
  editorOf(page).locator('.cm-line').filter({ hasText: text });
const paletteOf = (page: Page): Locator => page.getByRole('button', { name: 'Devices to add' });
const linuxOf = (page: Page): Locator => page.getByRole('button', { name: /^linux a Linux host/ });

/** Moves the whole picture out of sight. */
async function panAway(page: Page): Promise<void> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await canvasOf(page).boundingBox()) ?? {};
  for (let nth = 0; nth < 2; nth++) {
    await page.mouse.move(x + 15, y + 15);
    await page.mouse.down();
    await page.mouse.move(x + width - 15, y + height - 15, { steps: 5 });
    await page.mouse.up();
  }
}

/** Drags a device from the palette to a point, and calls `before` ahead of its drop. */
async function dragDevice(page: Page, to: readonly [number, number], before = async () => {}): Promise<void> {
  await page.mouse.move(...(await middleOf(linuxOf(page))));
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 5 });
  await before();
  await page.mouse.up();
}

describeInBrowser(missingForBrowser ?? 'the drawing of a topology', () => {
  const { service, open, openAs } = drawnPages();

  test('finds a node by its name with keys alone', async () => {
    const { page, complaints } = await open('find');
    await panAway(page);
    await canvasOf(page).focus();
    await page.keyboard.press('/');
    const search = page.getByRole('combobox', { name: 'Find a node' });
    await search.and(focusedIn(page)).waitFor();
    await page.keyboard.press('Escape');
    await canvasOf(page).and(focusedIn(page)).waitFor();
    await page.keyboard.press('/');
    await search.and(focusedIn(page)).waitFor();
    await page.keyboard.type('3');
    await page.getByRole('option', { name: 'h3' }).waitFor();
    await look(page, 'drawing-find');
    await page.keyboard.press('Enter');
    await isSelected(nodeIn(page, 'h3')).and(focusedIn(page)).waitFor();
    const [x, y] = await middleOf(canvasOf(page));
    const at = await middleOf(nodeIn(page, 'h3'));
    expect(Math.hypot(at[0] - x, at[1] - y)).toBeLessThan(5);
    expect(complaints).toEqual([]);
  });

  variant('finds a node for users who may not change it', async () => {
    await open('viewed');
    const { page } = await openAs('vera', '/workspaces/viewed?file=topology.yml&view=drawing');
    await page.getByRole('button', { name: 'Find a node' }).click();
    await page.getByRole('combobox', { name: 'Find a node' }).fill('h4');
    await page.getByRole('option', { name: 'h4' }).click();
    await isSelected(nodeIn(page, 'h4')).waitFor();
    expect(await paletteOf(page).count()).toBe(0);
  });

  test('selects what the cursor of the text is in, and brings it into view', async () => {
    const { page } = await open('cursor');
    await panAway(page);
    await nodeIn(page, 'h2').waitFor({ state: 'detached' });
    await textLine(page, 'h2:').click();
    await isSelected(nodeIn(page, 'h2')).waitFor();
    await editorOf(page).and(focusedIn(page)).waitFor();
    await page.keyboard.press('ArrowDown');
    await isSelected(nodeIn(page, 'h3')).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' {box: bird}');
    await page.keyboard.press('ArrowLeft');
    await textLine(page, 'the old cable').click();
    await isSelected(lineIn(page, 'h1-h2')).waitFor({ state: 'attached' });
    await look(page, 'drawing-cursor');

    await canvasOf(page).press('Escape');
    await editorOf(page).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('- h3-h4');
    await lineIn(page, 'h3-h4').waitFor({ state: 'attached' });
    await page.getByRole('heading', { name: 'Topology: 4 nodes, 2 links' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await isSelected(lineIn(page, 'h3-h4')).waitFor({ state: 'attached' });
  });

  test('keeps several selected nodes when the cursor of the text moves', async () => {
    const { page } = await open('cursor-several');
    await canvasOf(page).press('Control+a');
    await textLine(page, 'h2:').click();
    await page.keyboard.press('ArrowDown');
    // The cursor is there: what is typed next stands in the entry of h3.
    await page.keyboard.press('End');
    await page.keyboard.type(' {mtu: 1400}');
    await eventually('the typed text', async () =>
      (await editorOf(page).innerText()).includes('h3: {mtu: 1400}'),
    );
    await page.getByRole('heading', { name: '4 nodes, 1 link' }).waitFor();
  });

  test('a link that the text has no more is not selected beside a node', async () => {
    const { page } = await open('lost');
    await textLine(page, 'the old cable').click();
    await isSelected(lineIn(page, 'h1-h2')).waitFor({ state: 'attached' });
    for (const key of ['End', 'Shift+Home', 'Delete']) await page.keyboard.press(key);
    await lineIn(page, 'h1-h2').waitFor({ state: 'detached' });
    await nodeIn(page, 'h1').click();
    await isSelected(nodeIn(page, 'h1')).waitFor();
    expect(await page.getByRole('status', { name: 'Selection' }).innerText()).toBe('');
  });

  test('a device is dragged from the palette to its place, also with a selection', async () => {
    const { page, hasText } = await open('palette');
    await nodeIn(page, 'h1').click();
    await paletteOf(page).and(page.locator('[aria-expanded=false]')).click();
    const { x = 0, y = 0, height = 0 } = (await canvasOf(page).boundingBox()) ?? {};
    const place = [x + 80, y + height - 60] as const;
    await dragDevice(page, place, async () => page.keyboard.press('Escape'));
    await dragDevice(page, [10, 10]);
    await dragDevice(page, place, async () => look(page, 'drawing-drag'));
    await isSelected(nodeIn(page, 'h5')).waitFor();
    const at = await middleOf(nodeIn(page, 'h5'));
    expect(Math.hypot(at[0] - place[0], at[1] - place[1])).toBeLessThan(5);
    await hasText('h5:');
    const saved = async () => (await service().get('/workspaces/palette/layout')).json.nodes;
    await eventually('the place of h5', async () => Object.keys(await saved()).includes('h5'));
    await canvasOf(page).and(focusedIn(page)).waitFor();
    await page.keyboard.press('Control+z');
    await nodeIn(page, 'h5').waitFor({ state: 'detached' });
    expect((await editorOf(page).innerText()).trimEnd()).toBe(officeDrawing.trimEnd());

    await linuxOf(page).press('Enter');
    await nodeIn(page, 'h5').waitFor();
    expect(await within(linuxOf(page), 'element === document.activeElement')).toBe(true);
  });

  variant('axe objects to nothing in the search and the palette', async () => {
    const { page } = await open('looks');
    await nodeIn(page, 'h1').click();
    await paletteOf(page).click();
    await canvasOf(page).press('/');
    await page.getByRole('combobox', { name: 'Find a node' }).fill('h');
    await page.getByRole('option', { name: 'h4' }).waitFor();
    expect(await problemsInLooks(page, 'drawing-find')).toEqual([]);
  });
});

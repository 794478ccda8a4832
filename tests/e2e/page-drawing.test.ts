/** The drawing of a topology beside its text: edits with the pointer and with keys. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
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

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const networkIn = (page: Page): Locator => page.getByRole('button', { name: /^network of / });

/** Drags from the handle of a node to a point. */
async function dragLink(page: Page, from: string, to: readonly [number, number]): Promise<void> {
  await nodeIn(page, from).hover();
  await page.mouse.move(...(await middleOf(page.getByRole('button', { name: `Link ${from} to…` }))));
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 6 });
  await page.mouse.up();
}

describeInBrowser(missingForBrowser ?? 'the drawing of a topology', () => {
  const { service, write, open, openAs } = drawnPages();

  test('draws links with the pointer, to nodes, lines and networks; the rest of the text stays', async () => {
    const { page, hasText } = await open('pointer');
    const before = await middleOf(nodeIn(page, 'h2'));
    await dragLink(page, 'h2', await middleOf(nodeIn(page, 'h3')));
    await lineIn(page, 'h2-h3').waitFor({ state: 'attached' });
    await hasText('- h2-h3');
    await dragLink(page, 'h4', await middleOf(lineIn(page, 'h1-h2')));
    await networkIn(page).waitFor();
    expect(await networkIn(page).getAttribute('aria-label')).toContain('network of h1, h2, h4');
    await dragLink(page, 'h3', await middleOf(networkIn(page)));
    await page.getByRole('button', { name: /^network of h1, h2, h4, h3/ }).waitFor();
    expect(await middleOf(nodeIn(page, 'h2'))).toEqual(before);
    await hasText('# the old cable');
    await look(page, 'drawing-linked');
    const empty = await canvasOf(page).boundingBox();
    await dragLink(page, 'h1', [(empty?.x ?? 0) + 20, (empty?.y ?? 0) + 20]);
    for (let nth = 0; nth < 3; nth++) await page.keyboard.press('Control+z');
    await lineIn(page, 'h1-h2').waitFor({ state: 'attached' });
  });

  test('adds, links, copies, removes and undoes with keys alone', async () => {
    const { page, complaints, hasText } = await open('keys');
    await canvasOf(page).focus();
    await page.keyboard.press('n');
    await isSelected(nodeIn(page, 'h5')).waitFor();
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Link h5 to…' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('h3');
    await page.getByRole('option', { name: 'h3' }).waitFor();
    await page.keyboard.press('Enter');
    await lineIn(page, 'h5-h3').waitFor({ state: 'attached' });
    await hasText('- h5-h3');
    await canvasOf(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('c');
    await isSelected(nodeIn(page, 'h6')).waitFor();
    await page.keyboard.press('Delete');
    await nodeIn(page, 'h6').waitFor({ state: 'detached' });
    const counts = (words: string) => page.getByRole('heading', { name: `Topology: ${words}` }).waitFor();
    await page.keyboard.press('Control+z');
    await counts('6 nodes, 2 links');
    await page.keyboard.press('Control+Shift+Z');
    await counts('5 nodes, 2 links');

    await page.getByRole('button', { name: 'Fit the picture' }).press('Enter');
    await lineIn(page, 'h1-h2').focus();
    await page.keyboard.press('Enter');
    await isSelected(lineIn(page, 'h1-h2')).waitFor({ state: 'attached' });
    await page.keyboard.press('Backspace');
    await lineIn(page, 'h1-h2').waitFor({ state: 'detached' });
    await nodeIn(page, 'h1').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'New name' }).fill('desk');
    await page.keyboard.press('Enter');
    await nodeIn(page, 'desk').waitFor();
    expect(complaints).toEqual([]);
  });

  test('gives no two nodes one place, and none to a refused copy', async () => {
    const { page, hasText } = await open(
      'names',
      `${officeDrawing}groups: { made: { _auto_create: true, members: [q1] } }\n`,
    );
    await nodeIn(page, 'h3').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'New name' }).fill('desk');
    await page.keyboard.press('Enter');
    await isSelected(nodeIn(page, 'desk')).waitFor();
    await canvasOf(page).press('Escape');
    await page.getByRole('button', { name: /^linux a Linux host/ }).click();
    await hasText('h3:');
    const places = [await middleOf(nodeIn(page, 'desk')), await middleOf(nodeIn(page, 'h3'))];
    expect(places[0]).not.toEqual(places[1]);
    await nodeIn(page, 'q1').press('Enter');
    await page.keyboard.press('c');
    await page.getByRole('alert').getByText('a group creates q1').waitFor();
    const { nodes } = (await service().get('/workspaces/names/layout')).json;
    expect(Object.keys(nodes)).not.toContain('q2');
  });

  test('keys are about the focused node when the selected one is gone', async () => {
    const { page } = await open('gone');
    await canvasOf(page).press('n');
    await isSelected(nodeIn(page, 'h5')).waitFor();
    await page.keyboard.press('Control+z');
    await nodeIn(page, 'h5').waitFor({ state: 'detached' });
    await nodeIn(page, 'h1').press('Delete');
    await nodeIn(page, 'h1').waitFor({ state: 'detached' });
  });

  test('Undo takes back nothing that another user has saved', async () => {
    const { page } = await open('theirs');
    await nodeIn(page, 'h3').press('Delete');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    await write('theirs', 'topology.yml', officeDrawing.replace('  h4:', '  h4:\n  h9:'));
    // As when the user comes back to the window.
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await nodeIn(page, 'h9').waitFor();
    await page.getByRole('button', { name: 'Undo' }).and(page.locator('[disabled]')).waitFor();
    await canvasOf(page).press('Control+z');
    await canvasOf(page).press('n');
    await nodeIn(page, 'h5').waitFor();
    await nodeIn(page, 'h9').waitFor();
  });

  test('keeps a network in its place when a link before it goes and its node gets another name', async () => {
    const { page } = await open(
      'networks',
      `${officeDrawing}- h1-h2-h3\nvalidate: { t: { nodes: [h3], plugin: "ping('h3')" } }\n`,
    );
    const place = async () => within<string>(networkIn(page), 'element.style.transform');
    const first = await place();
    await networkIn(page).press('Enter');
    await isSelected(networkIn(page)).waitFor();
    await page.keyboard.press('ArrowDown');
    await eventually('the network to move', async () => (await place()) !== first);
    const moved = await place();
    await lineIn(page, 'h1-h2').focus();
    await page.keyboard.press('Enter');
    await isSelected(lineIn(page, 'h1-h2')).waitFor({ state: 'attached' });
    await page.keyboard.press('Backspace');
    await lineIn(page, 'h1-h2').waitFor({ state: 'detached' });
    await nodeIn(page, 'h3').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'New name' }).fill('desk');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Line 11 still has the name h3').waitFor();
    await eventually('the layout to have the new name', async () => {
      const { links } = (await service().get('/workspaces/networks/layout')).json;
      return 'desk,h1,h2' in links;
    });
    await look(page, 'drawing-renamed');
    await page.keyboard.press('Control+s');
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await nodeIn(page, 'desk').waitFor();
    expect(await place()).toBe(moved);
  });

  test('several nodes join a network in one step', async () => {
    const { page, hasText } = await open(
      'join',
      `${officeDrawing}- h1-h2-h3\n`.replace('  h4:', '  h4:\n  h5:'),
    );
    await nodeIn(page, 'h4').click();
    await nodeIn(page, 'h5').click({ modifiers: ['Shift'] });
    await page.getByText('2 nodes selected').waitFor();
    await page.keyboard.press('l');
    await page.getByRole('option', { name: 'h1–h2–h3' }).click();
    await page.getByRole('button', { name: /^network of h1, h2, h3, h4, h5/ }).waitFor();
    await hasText('- h1-h2-h3-h4-h5');
    await canvasOf(page).press('Control+z');
    await page.getByRole('button', { name: /^network of h1, h2, h3,? [^h]/ }).waitFor();
  });

  test('keeps the places of all nodes, and saves with a key', async () => {
    const { page } = await open('places');
    await page.getByText('Drawing', { exact: true }).click();
    const room = await canvasOf(page).boundingBox();
    await canvasOf(page).dblclick({ position: { x: 60, y: (room?.height ?? 0) - 40 } });
    await nodeIn(page, 'h5').waitFor();
    const names = ['h1', 'h2', 'h3', 'h4', 'h5'];
    const places = async () =>
      Promise.all(names.map(async (name) => within<string>(nodeIn(page, name), 'element.style.transform')));
    await page.keyboard.press('Control+s');
    await page.getByText('saved', { exact: true }).waitFor();
    const before = await places();
    await page.reload();
    await nodeIn(page, 'h5').waitFor();
    expect(await places()).toEqual(before);
  });

  test('marks a mistake on its link, with its sentence', async () => {
    const { page } = await open(
      'mistake',
      officeDrawing.replace('- h1-h2', '- { h1: , h2: , prefx: 10.0.0.0/24 }'),
    );
    const marked = page.getByRole('button', { name: /^link h1-h2, .*prefx/ });
    await marked.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'Selection' }).getByText('prefx').waitFor();
    await look(page, 'drawing-mistake');
  });

  variant('shows it to users who may not change it', async () => {
    await open('viewed');
    const { page } = await openAs('vera', '/workspaces/viewed?file=topology.yml&view=drawing');
    await nodeIn(page, 'h1').click();
    expect(await page.getByRole('button', { name: 'Link h1 to…' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Arrange' }).count()).toBe(0);
    await page.keyboard.press('Delete');
    await nodeIn(page, 'h1').waitFor();
  });

  variant('selects several nodes, moves and removes them', async () => {
    const { page } = await open('several');
    await nodeIn(page, 'h1').click();
    await nodeIn(page, 'h3').click({ modifiers: ['Shift'] });
    await page.getByText('2 nodes selected').waitFor();
    const { x = 0, y = 0, width = 0, height = 0 } = (await canvasOf(page).boundingBox()) ?? {};
    await page.getByRole('button', { name: 'Select an area' }).click();
    // Away from the edges, where the drawing goes on moving as long as the pointer is there.
    await page.mouse.move(x + 60, y + 60);
    await page.mouse.down();
    await page.mouse.move(x + width - 60, y + height - 60, { steps: 5 });
    await page.mouse.up();
    await page.getByText('4 nodes selected').waitFor();
    const before = await middleOf(nodeIn(page, 'h4'));
    await page.keyboard.press('ArrowDown');
    await eventually(
      'the selection to move',
      async () => (await middleOf(nodeIn(page, 'h4')))[1] > before[1],
    );
    await page.keyboard.press('Delete');
    await page.getByText('No nodes yet').waitFor();
    await page.keyboard.press('Control+z');
    await lineIn(page, 'h1-h2').waitFor({ state: 'attached' });
  });

  test('axe objects to nothing, wide, dark and narrow', async () => {
    const { page } = await open('looks');
    await nodeIn(page, 'h1').click();
    expect(await problemsInLooks(page, 'drawing')).toEqual([]);
    await page.getByRole('toolbar', { name: 'Drawing' }).getByRole('button', { name: 'Link' }).click();
    await page.getByRole('option', { name: 'h4' }).waitFor();
    expect(await objectionsOn(page, { part: '[role="dialog"]' })).toEqual([]);
  });
});

/** The drawing of a topology: the way back, a text with an error, and the way there with keys. */
import { describe, expect, test } from '@jest/globals';
import { missingForBrowser, within } from '../support/browser.ts';
import { canvasOf, drawnPages, isSelected, middleOf, nodeIn, officeDrawing } from '../support/drawn-pages.ts';
import { eventually } from '../support/eventually.ts';
import { editorOf } from '../support/workspace-pages.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

describeInBrowser(missingForBrowser ?? 'the drawing of a topology', () => {
  const { service, write, open } = drawnPages();

  test('takes back moves and arrangements in their order, and says each edit', async () => {
    const { page } = await open('moved');
    const said = page.getByRole('status', { name: 'Edits' });
    const place = async () =>
      within<[number, number]>(nodeIn(page, 'h3'), `element.style.transform.match(/[-\\d.]+/g).map(Number)`);
    const begin = await place();
    /** Saved places are whole pixels. */
    const isAt = async ([left, top]: readonly [number, number]) => {
      const [x, y] = await place();
      return Math.abs(x - left) <= 1 && Math.abs(y - top) <= 1;
    };
    const [x, y] = await middleOf(nodeIn(page, 'h3'));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 90, { steps: 6 });
    await page.mouse.up();
    const dragged = await place();
    expect(await isAt(begin)).toBe(false);
    await canvasOf(page).press('n');
    await said.getByText('Node h5 added', { exact: true }).waitFor();
    await nodeIn(page, 'h1').press('F2');
    await page.getByRole('textbox', { name: 'New name' }).press('Enter');
    await page.getByRole('textbox', { name: 'New name' }).waitFor({ state: 'detached' });
    expect(await said.innerText()).toBe('Node h5 added');
    await page.getByRole('button', { name: 'Arrange' }).click();
    await said.getByText('All nodes arranged', { exact: true }).waitFor();
    await eventually('an arrangement', async () => !(await isAt(dragged)));
    await page.getByRole('button', { name: 'Undo' }).click();
    await said.getByText('Undone: all nodes arranged', { exact: true }).waitFor();
    await eventually('the place before', async () => isAt(dragged));
    await canvasOf(page).press('Control+z');
    await said.getByText('Undone: node h5 added', { exact: true }).waitFor();
    expect(await isAt(dragged)).toBe(true);
    await page.keyboard.press('Control+z');
    await eventually('the first place', async () => isAt(begin));
    await page.keyboard.press('Control+y');
    await said.getByText('Redone: node h3 moved', { exact: true }).waitFor();
    await eventually('the new place', async () => isAt(dragged));
    const { nodes } = (await service().get('/workspaces/moved/layout')).json;
    expect(nodes).toHaveProperty('h3');
  });

  test('shows the last drawing beside a text with an error, and goes to its line', async () => {
    const { page } = await open('broken');
    await page.getByText('Drawing', { exact: true }).click();
    await write('broken', 'topology.yml', `${officeDrawing}- [h1\n`);
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('The text has an error in line 1', { exact: false }).waitFor();
    await nodeIn(page, 'h1').waitFor();
    await page.getByRole('button', { name: /^linux a Linux host/, disabled: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByText(/1 error/).waitFor();
    expect(await page.getByRole('button', { name: 'Show in the text' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Go to line 1/ }).click();
    await editorOf(page).and(page.locator(':focus')).waitFor();
  });

  test('is two Tab stops with its tools, and P goes to the properties', async () => {
    const { page } = await open('stops');
    const focused = (name: string) =>
      page.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
    await page.getByRole('button', { name: 'Add a node', exact: true }).first().focus();
    await page.keyboard.press('End');
    await focused('Keys of the drawing').waitFor();
    await page.keyboard.press('ArrowLeft');
    await focused('Fit the picture').waitFor();
    await page.keyboard.press('Tab');
    await canvasOf(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    await focused('Fit the picture').waitFor();
    await nodeIn(page, 'h2').press('p');
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await isSelected(nodeIn(page, 'h2')).and(page.locator(':focus')).waitFor();
    // A button that its own press disables gives the focus to no other button.
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('toolbar', { name: 'Drawing' }).and(page.locator(':focus')).waitFor();
  });
});

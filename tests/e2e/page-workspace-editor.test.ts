/** Files of a workspace in the editor, also where two people write the same one. */
import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, within } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { basic, passwords } from '../support/team.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  editorOf,
  isExpected,
  officeTopology as topology,
  workspacePages,
} from '../support/workspace-pages.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

async function appendTo(page: Page, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text);
}

/** Types the beginning of a word, and takes the hint of this name by the keyboard, which becomes this text. */
async function takeHint(page: Page, typed: string, name: string, text: string): Promise<void> {
  await page.keyboard.type(typed);
  const hint = page.getByRole('option', { name, exact: true });
  await hint.waitFor();
  await look(page, `workspace-hints-${name}`);
  await eventually('the hint is taken', async () => {
    if (!(await hint.isVisible())) {
      // It was not taken, and the line was ended.
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Control+Space');
      await hint.waitFor();
    }
    // The editor gives no key to a hint that nobody can have seen yet (`interactionDelay`, 75 ms): it is that time that is waited for.
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
    return (await page.getByRole('textbox', { name: /^Text of / }).textContent())?.includes(text) === true
      ? true
      : undefined;
  });
}

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  const root = temporaryDirectory();
  const { service, write, contentOf, workspaceWith, openAs } = workspacePages({
    root,
    home: path.join(root, 'home'),
  });

  /** A workspace whose topology has something typed and not saved. */
  async function openUnsaved(name: string, text: string) {
    await workspaceWith(name, { 'topology.yml': topology });
    const visitor = await openAs('ops', `/workspaces/${name}`);
    await appendTo(visitor.page, text);
    await visitor.page.getByText('unsaved changes').waitFor();
    return visitor;
  }

  test('a mistake is shown at its line, hints help, and what is saved is on the server', async () => {
    await workspaceWith('edited', { 'topology.yml': topology });
    const { page, complaints } = await openAs('ops', '/workspaces/edited');
    await editorOf(page).waitFor();
    await page.getByText('no problems').waitFor();
    await appendTo(page, 'foo: 1\nlinks2:\n');
    await page.getByRole('button', { name: '2 warnings' }).click();
    await page.getByText('netlab may not know “foo”').first().waitFor();
    await page.keyboard.press('Escape');
    await editorOf(page).press('Control+a');
    await page.keyboard.insertText('nodes: [h1, h2]\nlinks:\n- h1-h3\n');
    await page.getByRole('button', { name: '1 error' }).click();
    await page.getByText('there is no node “h3”').first().waitFor();
    await look(page, 'workspace-error');

    await page.keyboard.press('Control+End');
    await takeHint(page, 'gro', 'groups', 'groups:');
    await page.keyboard.press('Control+s');
    await page.getByText('saved', { exact: true }).waitFor();
    expect(await contentOf('edited', 'topology.yml')).toMatch(/^nodes: \[h1, h2\]\nlinks:\n- h1-h3\ngroups:/);
    expect(complaints).toEqual([]);
  });

  variant('attributes of modules and of containerlab are completed at their place', async () => {
    const clab = 'topology:\n  nodes:\n    leaf:\n      kind: linux\n';
    const netlab = 'defaults.device: linux\nnodes: [h1, h2]\nlinks:\n- h2:\n  h1:\n    ospf:\n';
    await workspaceWith('completed', { 'topology.yml': netlab, 'dc.clab.yml': clab });
    const { page, complaints } = await openAs('ops', '/workspaces/completed?file=topology.yml');
    await editorOf(page).click();
    await page.keyboard.press('Control+End');
    await takeHint(page, '      netw', 'network_type', 'network_type:');
    await takeHint(page, 'bro', 'broadcast', 'network_type: broadcast');
    await page.goto(`${service().url}/ui/workspaces/completed?file=dc.clab.yml`);
    await editorOf(page, 'dc.clab.yml').click();
    await page.keyboard.press('Control+End');
    await takeHint(page, '      restart', 'restart-policy', 'restart-policy:');
    await takeHint(page, 'n', 'no', 'restart-policy: "no"');
    await page.getByText('no problems').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a draft survives a reload, and the change of somebody else is not overwritten', async () => {
    const { page, complaints } = await openUnsaved('shared', '# mine\n');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await editorOf(page).getByText('# mine').waitFor();
    await page.getByText('unsaved changes').waitFor();

    await write('shared', 'topology.yml', `${topology}# theirs\n`);
    await editorOf(page).press('Control+s');
    await page.getByText('Another user has changed topology.yml').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Their version on the server' }).getByText('# theirs').waitFor();
    await page.getByRole('region', { name: 'My unsaved version' }).getByText('# mine').waitFor();
    await look(page, 'workspace-both');
    expect(await contentOf('shared', 'topology.yml')).toContain('# theirs');
    await page.getByRole('dialog').getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(await contentOf('shared', 'topology.yml')).toBe(`${topology}# mine\n`);

    await appendTo(page, '# more\n');
    await write('shared', 'topology.yml', `${topology}# theirs again\n`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await editorOf(page).getByText('# theirs again').waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
  });

  variant('a draft goes with its file to a new name, and can be saved there', async () => {
    const { page } = await openUnsaved('renamed', '# mine\n');
    await page.getByRole('button', { name: 'Actions of topology.yml' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename topology.yml' });
    await dialog.getByRole('textbox', { name: 'Path' }).fill('other.yml');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await editorOf(page, 'other.yml').getByText('# mine').waitFor();
    await page.getByText('unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(await contentOf('renamed', 'other.yml')).toBe(`${topology}# mine\n`);
  });

  test('a draft is not shown to another user of the same window', async () => {
    const { page } = await openUnsaved('private', '# mine\n');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.context().setExtraHTTPHeaders(basic('vera', passwords.vera));
    await page.reload();
    await page.getByText('read-only').waitFor();
    await editorOf(page).getByText('name: office').waitFor();
    expect(await editorOf(page).textContent()).not.toContain('# mine');
    await page.context().setExtraHTTPHeaders(basic('ops', passwords.ops));
    await page.reload();
    await editorOf(page).getByText('# mine').waitFor();
  });

  variant('whoever leaves with something unsaved is asked', async () => {
    const { page } = await openUnsaved('left', '# draft\n');
    await page.getByRole('link', { name: 'Settings' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByText('topology.yml').waitFor();
    await question.getByRole('button', { name: 'Stay' }).click();
    await editorOf(page).getByText('# draft').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect(await contentOf('left', 'topology.yml')).toBe(topology);
  });

  variant('by keyboard alone: the tree, a new name, the editor and out of it again', async () => {
    await workspaceWith('keys', { 'topology.yml': topology, 'dir/in.txt': 'inside' });
    const { page } = await openAs('ops', '/workspaces/keys');
    await editorOf(page).waitFor();
    await page.getByRole('treeitem', { name: /topology.yml/ }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await editorOf(page, 'dir/in.txt').waitFor();
    expect(new URL(page.url()).searchParams.get('file')).toBe('dir/in.txt');
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Path' }).fill('dir/other.txt');
    await page.keyboard.press('Enter');
    await editorOf(page, 'dir/other.txt').waitFor();
    expect(await contentOf('keys', 'dir/other.txt')).toBe('inside');
    expect((await service().get('/workspaces/keys/files/dir/in.txt')).status).toBe(404);

    await editorOf(page, 'dir/other.txt').focus();
    await page.keyboard.insertText('x');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await eventually(
      'the focus has left the editor',
      async () => !(await within<boolean>(editorOf(page, 'dir/other.txt'), "element.matches(':focus')")),
    );
    await editorOf(page, 'dir/other.txt').press('Control+s');
    await page.getByText('saved', { exact: true }).waitFor();
    expect(await contentOf('keys', 'dir/other.txt')).toBe('xinside');
  });

  variant('what is no text, or too long, is offered to be downloaded', async () => {
    await workspaceWith('various', { 'image.bin': 'a\0b', 'long.txt': 'x'.repeat(1024 * 1024 + 1) });
    const { page } = await openAs('ops', '/workspaces/various?file=image.bin');
    await page.getByText('This is not a text file.').waitFor();
    await page.goto(`${service().url}/ui/workspaces/various?file=long.txt`);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download (1.0 MiB)' }).click();
    expect((await download).suggestedFilename()).toBe('long.txt');
  });
});

/** The forms beside a drawing: each change of a node, a link or several is one change of the text, or a sentence at its field. */
import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, within } from '../support/browser.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { variants } from '../support/thorough.ts';
import { editorOf, isExpected, workspacePages } from '../support/workspace-pages.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const head = `# the office
defaults.device: linux-router
groups:
  core: [r1, r2] # both
nodes:
  r1: # first
    loopback: {ipv4: 10.0.0.1/32, pool: loopback}
    mtu: 1500
  r2:
  h1: {device: linux}
links:
`;

const topology = `${head}- r1-r2
- r2: {ipv4: 10.1.0.1/24}
  h1:
  prefix: 10.1.0.0/24 # the desks
`;

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  const root = temporaryDirectory();
  const { contentOf, workspaceWith, openAs } = workspacePages({ root, home: path.join(root, 'home') });

  /** The forms of a topology, and the text that is saved from them. */
  async function openForms(name: string, { file = 'topology.yml', text = topology, ...options } = {}) {
    await workspaceWith(name, { [file]: text });
    const visitor = await openAs('ops', `/workspaces/${name}?file=${file}&view=drawing`, options);
    const { page } = visitor;
    const form = page.getByRole('region', { name: 'Properties' });
    const drawing = page.getByRole('application', { name: `Drawing of ${file}` });
    await form.getByRole('heading', { name: /^Topology/ }).waitFor();
    const field = (label: string, part = form): Locator =>
      part
        .getByRole('textbox', { name: label, exact: true })
        .or(part.getByRole('combobox', { name: label, exact: true }));
    return {
      ...visitor,
      form,
      field,
      titled: async (title: string): Promise<void> =>
        form.getByRole('heading', { name: title, exact: true }).waitFor(),
      /** With the keyboard alone. */
      select: async (label: RegExp): Promise<void> =>
        drawing.getByRole('button', { name: label }).press('Enter'),
      fill: async (label: string, value: string, part = form): Promise<void> => {
        await field(label, part).fill(value);
        await field(label, part).press('Enter');
      },
      refused: async (sentence: string | RegExp): Promise<void> =>
        form.getByRole('alert').getByText(sentence).waitFor(),
      save: async (): Promise<string> => {
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('saved', { exact: true }).waitFor();
        return contentOf(name, file);
      },
    };
  }

  test('a node gets a name, a device and groups; a refusal stays at its field', async () => {
    const { complaints, page, field, fill, select, titled, refused, save } = await openForms('node');
    await select(/^r1 /);
    await titled('Node r1');
    await fill('Name', 'h1');
    await refused('there is a node h1 already: choose another name');
    await fill('Name', '9 lives');
    await refused(/begins with a letter/);
    await look(page, 'forms-refused');
    await field('Name').press('Escape');
    expect(await field('Name').inputValue()).toBe('r1');
    await fill('Name', 'core1');
    await titled('Node core1');
    expect(await within(field('Name'), 'element === document.activeElement')).toBe(true);

    await field('Device').fill('without');
    await page.getByRole('option', { name: 'none' }).waitFor();
    await look(page, 'forms-device');
    await field('Device').press('ArrowDown');
    await field('Device').press('Enter');
    await field('Loopback').fill('10.0.0.9/32');
    await field('Role').selectOption('gateway');
    await fill('Groups', 'edge');
    await field('Groups').press('Backspace');
    await fill('Groups', 'edges');
    expect(await save()).toBe(
      topology
        .replace('[r1, r2]', '[core1, r2]')
        .replace('  r1: #', '  core1: #')
        .replace('10.0.0.1/32', '10.0.0.9/32')
        .replace('1500\n', '1500\n    device: none\n    role: gateway\n')
        .replace('- r1-r2', '- core1-r2')
        .replace('both\n', 'both\n  edge:\n    members: []\n  edges:\n    members: [core1]\n'),
    );
    expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
  });

  test('a link gets prefixes, addresses and further nodes; cleared values go', async () => {
    const { page, form, field, fill, select, titled, refused, save } = await openForms('link');
    await select(/^link r1-r2/);
    await titled('Link r1 – r2');
    await fill('Prefix', '10.2.0.1/24');
    await refused('Prefix must be a network such as 10.2.0.0/24: "10.2.0.1/24" is an address in it');
    await fill('Prefix', '10.2.0.0/24, 2001:db8:2::/64');
    await fill('MTU', '1400');
    await select(/^link r2-h1/);
    await titled('Link r2 – h1');
    await look(page, 'forms-link');
    await fill('Prefix', '');
    await fill('IPv4', '', form.getByRole('group', { name: 'r2' }));
    await fill('IPv4', '9', form.getByRole('group', { name: 'h1' }));
    await fill('Add another node', 'r1');
    await titled('Link r2 – h1 – r1');
    expect(await field('Prefix').inputValue()).toBe('');
    expect(await save()).toBe(`${head}- r1:
  r2:
  prefix:
    ipv4: 10.2.0.0/24
    ipv6: "2001:db8:2::/64"
  mtu: 1400
- r2: {}
  h1:
    ipv4: 9
  r1:
`);
  });

  test('several nodes get a device and a group at once; copies and new nodes get free names', async () => {
    const { page, form, fill, titled, select, save } = await openForms('several');
    await select(/^h1 /);
    await titled('Node h1');
    await form.getByRole('button', { name: 'Copy' }).click();
    await titled('Node h2');
    expect(await within(form, 'element === document.activeElement')).toBe(true);
    await page.keyboard.press('Tab');
    await page.getByRole('application').press('Control+a');
    await titled('4 nodes, 2 links');
    await fill('Device of all', 'linux');
    await fill('Groups', 'office');
    await look(page, 'forms-several');
    await page.getByRole('application').press('Escape');
    await form.getByRole('button', { name: /^linux-router/ }).press('Enter');
    await titled('Topology: 5 nodes, 2 links');
    await select(/^r2 /);
    await form.getByRole('button', { name: 'Remove' }).press('Enter');
    await titled('Topology: 4 nodes');
    const text = await save();
    expect(text).toContain('  office:\n    members: [r1, h1, h2]\n');
    expect(text).toMatch(
      / {2}r1: # first\n.*\n.*\n {4}device: linux\n {2}h1: \{device: linux\}\n {2}h2:\n {4}device: linux\n {2}r3:\n {4}device: linux-router\n/,
    );
  });

  test('attributes without a field lead to the text', async () => {
    const { page, form, select } = await openForms('other');
    await select(/^r1 /);
    await form.getByText('Other attributes: loopback.pool, mtu').waitFor();
    await form.getByRole('button', { name: 'Edit in the text: other attributes of r1' }).click();
    await editorOf(page).waitFor();
    // The whole entry is selected.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText('x');
    expect(await editorOf(page).textContent()).toContain('  xr1: # first');
  });

  variant('axe finds nothing, wide, dark and narrow', async () => {
    const found: string[] = [];
    for (const [label, name] of [
      [undefined, 'forms-nothing'],
      [/^r1 /, 'forms-node'],
      [/^link r2-h1/, 'forms-link'],
    ] as const) {
      const { page, select } = await openForms(name);
      if (label !== undefined) await select(label);
      found.push(...(await problemsInLooks(page, name, { part: '[aria-label=Properties]' })));
    }
    expect(found).toEqual([]);
  });
});

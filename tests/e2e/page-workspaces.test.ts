/** Workspaces in a browser: how they come, what is in them, who uses them, and how they go. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { tarGzOf, zipOf } from '../support/archives.ts';
import { look, missingForBrowser } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import {
  editorOf,
  isExpected,
  officeTopology as topology,
  workspacePages,
} from '../support/workspace-pages.ts';
import { variants } from '../support/thorough.ts';

const variant = variants(test);

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;

const { because, home, it, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });

async function uploadArchive(page: Page, file: { name: string; buffer: Buffer }): Promise<void> {
  await page.getByRole('button', { name: 'New workspace' }).first().click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an archive' }).click();
  await (await chooser).setFiles({ ...file, mimeType: 'application/octet-stream' });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

describeInBrowser(missingForBrowser ?? 'in Chromium', () => {
  const { service, contentOf, workspaceWith, openAs } = workspacePages({ home, root });

  test('an empty list leads to the first workspace; names are looked at while one types', async () => {
    const { page, complaints } = await openAs('ops', '/workspaces');
    await page.getByRole('heading', { name: 'No workspaces yet' }).waitFor();
    await look(page, 'workspaces-empty');
    await page.getByRole('button', { name: 'New workspace' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('My Lab');
    await page.getByText('only lower-case letters, digits and . _ -').waitFor();
    await name.fill('my-lab');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'my-lab' }).waitFor();
    await page.getByRole('heading', { name: 'The workspace is empty' }).waitFor();
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('../x');
    await page.getByText('must not contain //, . or ..').waitFor();
    await page.getByRole('textbox', { name: 'Path' }).fill('topology.yml');
    await page.getByRole('button', { name: 'Create' }).click();
    await editorOf(page).waitFor();
    expect(await contentOf('my-lab', 'topology.yml')).toBe('');
    expect(complaints).toEqual([]);
  });

  test('tells when unused workspaces are removed', async () => {
    await workspaceWith('kept', { 'topology.yml': topology });
    for (const name of ['lab-10', 'lab-2']) await workspaceWith(name, {});
    const { page, complaints } = await openAs('vera', '/workspaces');
    const row = page.getByRole('row', { name: /kept/ });
    await row.getByText('29 d 23 h left').waitFor();
    await page.getByRole('columnheader', { name: 'Kept, if unused' }).waitFor();
    const numbered = page.getByRole('link', { name: /^lab-\d+$/ });
    expect(await numbered.allTextContents()).toEqual(['lab-2', 'lab-10']);
    await row.getByRole('link', { name: 'kept' }).click();
    await page.getByText(/removed if unused:/).waitFor();
    expect(await problemsInLooks(page, 'workspace-expiry')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('archives become workspaces, and a bad one is refused in the words of the service', async () => {
    const { page, complaints } = await openAs('ops', '/workspaces');
    await uploadArchive(page, {
      name: 'From Zip.zip',
      buffer: zipOf({ name: 'topology.yml', content: topology }),
    });
    await page.getByRole('cell', { name: 'from-zip', exact: true }).waitFor();
    const tar = tarGzOf(
      { name: 'topology.yml', content: topology },
      { name: 'configs/h1.cfg', content: 'x' },
    );
    await uploadArchive(page, { name: 'from-tar.tar.gz', buffer: tar });
    await page.getByRole('row', { name: /from-tar.*2/ }).waitFor();
    expect(await contentOf('from-tar', 'configs/h1.cfg')).toBe('x');
    expect(await contentOf('from-zip', 'topology.yml')).toBe(topology);

    await page.goto(`${service().url}/ui/workspaces?q=from-zip`);
    await page.getByRole('row', { name: /from-zip/ }).waitFor();
    expect(await page.getByRole('row', { name: /from-tar/ }).count()).toBe(0);
    const search = page.getByRole('textbox', { name: 'Search workspaces' });
    const top = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
    expect((await top(page.getByRole('table'))) - (await top(search))).toBeLessThan(100);
    await search.fill('nothing of the kind');
    await page.getByRole('button', { name: /^Show all \d+$/ }).click();
    await page.getByRole('row', { name: /from-tar/ }).waitFor();
    await page.goto(`${service().url}/ui/workspaces?q=from-zip`);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('row', { name: /from-tar/ }).waitFor();

    const bad = tarGzOf({ name: 'link', type: '2', link: '/etc/passwd' });
    await uploadArchive(page, { name: 'bad.tar.gz', buffer: bad });
    const alert = page.getByRole('alert').filter({ hasText: 'bad.tar.gz was not uploaded' });
    await alert.getByText(/link/).first().waitFor();
    await look(page, 'workspaces-upload-refused');
    await page.getByRole('button', { name: 'Clear' }).click();

    await page.getByRole('button', { name: 'New workspace' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose an archive' }).click();
    await (await chooser).setFiles({ name: 'from-tar.zip', buffer: Buffer.from('no zip'), mimeType: '' });
    await page.getByText('from-tar exists').waitFor();
    await page.getByText(/replaces all of its content: 2 files/).waitFor();
    await page.getByRole('button', { name: 'Replace its files' }).click();
    await page.getByRole('alert').filter({ hasText: 'from-tar.zip was not uploaded' }).waitFor();
    expect(await contentOf('from-tar', 'configs/h1.cfg')).toBe('x');
    expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
  });

  variant('an upload can be ended, and nothing is left of it', async () => {
    const { page } = await openAs('ops', '/workspaces');
    const network = await page.context().newCDPSession(page);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 50_000,
    });
    await uploadArchive(page, { name: 'slow.tar.gz', buffer: Buffer.alloc(1_900_000, 'slow') });
    await page.getByRole('progressbar', { name: 'Upload of slow.tar.gz' }).waitFor();
    await page.getByText(/KiB of 1\.8 MiB/).waitFor();
    await look(page, 'workspaces-progress');
    await page.getByRole('button', { name: 'Cancel the upload of slow.tar.gz' }).click();
    await page.getByText('canceled: slow is unchanged').waitFor();
    expect((await service().get('/workspaces/slow')).status).toBe(404);
  });

  variant(
    'files are uploaded beside each other, and one that is there only when somebody says so',
    async () => {
      await workspaceWith('filled', { 'topology.yml': topology, 'a.txt': 'old' });
      const { page, complaints } = await openAs('ops', '/workspaces/filled');
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload files' }).click();
      const file = (name: string, buffer: Buffer) => ({ name, buffer, mimeType: 'text/plain' });
      await (
        await chooser
      ).setFiles([
        file('a.txt', Buffer.from('new')),
        file('b.txt', Buffer.from('b')),
        file('huge.bin', Buffer.alloc(3 * 1024 * 1024)),
      ]);
      await page.getByRole('treeitem', { name: /b\.txt/ }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'huge.bin was not uploaded' }).waitFor();
      expect(await contentOf('filled', 'a.txt')).toBe('old');
      await look(page, 'workspace-uploads');
      await page.getByRole('button', { name: 'Replace a.txt' }).click();
      // A drop is made by hand: nothing is dragged here.
      const data = await page.evaluateHandle(
        "(() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'c.txt')); return data; })()",
      );
      await page.getByRole('tree', { name: 'Files' }).dispatchEvent('drop', { dataTransfer: data });
      await page.getByRole('treeitem', { name: /c\.txt/ }).waitFor();
      expect(await contentOf('filled', 'c.txt')).toBe('dropped');
      await eventually('the file is replaced', async () =>
        (await contentOf('filled', 'a.txt')) === 'new' ? true : undefined,
      );
      expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
    },
  );

  variant('a job shows up in its workspace, and the way to a lab begins there', async () => {
    await workspaceWith('busy', { 'topology.yml': topology });
    const { page } = await openAs('ops', '/workspaces/busy');
    await page.getByText('No jobs yet.').waitFor();
    const id = await service().start({ action: 'create', workspace: 'busy' });
    await page.getByRole('link', { name: `create, ${id}` }).waitFor();
    await page.getByRole('treeitem', { name: /lab\.snapshot\.json/ }).waitFor();
    const start = page.getByRole('link', { name: 'Start a lab from here' });
    expect(await start.getAttribute('href')).toMatch(/\/ui\/\?start=workspace%3Abusy%2Ftopology\.yml$/);
  });

  variant('a workspace is removed when one has read what is lost', async () => {
    await workspaceWith('gone', { 'a.txt': 'a', 'b.txt': 'b' });
    const { page } = await openAs('ops', '/workspaces/gone');
    await page.getByRole('button', { name: 'Actions of gone' }).click();
    await page.getByRole('menuitem', { name: 'Remove the workspace' }).click();
    await page.getByText(/This deletes all of its 2 files/).waitFor();
    await look(page, 'workspace-remove');
    await page.keyboard.press('Escape');
    // The menu item is gone: its button has the focus.
    await page.getByRole('button', { name: 'Actions of gone' }).and(page.locator(':focus')).press('Enter');
    await page.getByRole('menuitem', { name: 'Remove the workspace' }).click();
    await page.getByRole('button', { name: 'Remove gone' }).click();
    await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'gone', exact: true }).waitFor({ state: 'detached' });
    expect((await service().get('/workspaces/gone')).status).toBe(404);
  });

  it(`a lab that runs in a workspace is shown there, and keeps it from being removed${because}`, async () => {
    await workspaceWith('lively', { 'topology.yml': topology });
    const id = freeInstanceNumber();
    const { workdir } = (await service().get('/workspaces/lively')).json;
    takeDownLater({ where: { home, directory: String(workdir) }, instance: String(id) });
    const { page } = await openAs('ops', '/workspaces/lively');
    await page.getByRole('link', { name: 'Start a lab from here' }).waitFor();
    const job = await service().start({ action: 'up', workspace: 'lively', multilabId: id });
    expect(await service().ended(job)).toMatchObject({ state: 'success' });
    await page.getByRole('link', { name: 'Open the lab' }).waitFor();
    await page.getByText('started', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Start a lab from here' }).count()).toBe(0);
    await look(page, 'workspace-lab');
    await page.getByRole('button', { name: 'Actions of lively' }).click();
    await page.getByRole('menuitem', { name: 'Remove the workspace' }).click();
    await page.getByText('The workspace is in use').waitFor();
    expect(await page.getByRole('button', { name: 'Remove lively' }).isDisabled()).toBe(true);
  });

  test('a viewer reads, and is offered nothing else', async () => {
    await workspaceWith('seen', { 'topology.yml': topology });
    const { page } = await openAs('vera', '/workspaces/seen');
    await page.getByText('read-only').waitFor();
    await editorOf(page).click();
    await page.keyboard.type('x');
    await editorOf(page).getByText('name: office').waitFor();
    for (const name of ['Save', 'New file', 'Upload files', 'Start a lab from here'])
      expect(
        await page
          .getByText(name, { exact: true })
          .or(page.getByLabel(name, { exact: true }))
          .count(),
      ).toBe(0);
    await page.goto(`${service().url}/ui/workspaces`);
    await page.getByRole('link', { name: 'seen' }).waitFor();
    expect(await page.getByRole('button', { name: 'New workspace' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of seen' }).click();
    await page.getByRole('menuitem', { name: 'Download as zip' }).waitFor();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Download as tar.gz',
      'Download as zip',
    ]);
  });

  test('the page of a workspace is in order, wide, dark and narrow', async () => {
    await workspaceWith('looked-at', { 'topology.yml': `${topology}foo: 1\n`, 'configs/h1.cfg': 'x' });
    const { page, complaints } = await openAs('ops', '/workspaces/looked-at');
    await page.getByRole('button', { name: '1 warning' }).waitFor();
    await page.getByText('No jobs yet.').waitFor();
    expect(await problemsInLooks(page, 'workspace')).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

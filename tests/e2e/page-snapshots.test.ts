/** In the page: a lab is kept as a snapshot, shows what has changed in its nodes since, and is started again. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { isLive } from '../support/page.ts';
import { pressTo } from '../support/page-of-labs.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';
import { usersFile, usersWithTokens } from '../support/users-file.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, root, it, takeDownLater } = preparedLabs({ missing });
const id = String(freeInstanceNumber());
const workdir = path.join(root, `kept-${id}`);

const { users, as } = usersWithTokens({ sue: 'operator', vic: 'viewer' });
const ground = makeGround();
// Below what is there until the labs are down.
const workspaces = path.join(root, 'workspaces');

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  mkdirSync(workdir);
  takeDownLater({ where: { home, directory: workdir }, instance: id });
  const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';
  writeFileSync(path.join(workdir, 'topology.yml'), topology);
  const file = usersFile(
    ground.root,
    JSON.stringify({ users, quotas: { roles: { operator: { labs: 3 } } } }),
  );
  const env = {
    LAB_API_CLI: 'engine',
    LAB_HOME: home,
    LAB_API_USERS_FILE: file,
    LAB_API_WORKSPACES_DIR: workspaces,
  };
  service = await startProgram({ ground, env, client: { headers: as('sue') } });
  const up = await service.start({ action: 'up', workdir, multilabId: Number(id) });
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
});
afterAll(async () => void (await service?.end()));

async function open(user: string, address: string) {
  const visitor = await visit({ extraHTTPHeaders: as(user) });
  await visitor.page.goto(`${service.url}/ui/${address}`);
  await isLive(visitor.page);
  return { ...visitor, dialog: visitor.page.getByRole('dialog') };
}

it(`a lab is kept, and its nodes are compared with what was kept${because}`, async () => {
  const { page, complaints, dialog } = await open('sue', `labs/${id}`);
  const choose = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'Snapshots', exact: true }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Changes since the last one…');
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await dialog.getByText(/there is no snapshot of the lab/).waitFor();
  await close();
  await choose('Keep a snapshot…');
  await dialog.getByLabel('Name').fill('Stage 1');
  expect(await dialog.getByRole('button', { name: 'Keep', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('Name').fill('stage-1');
  expect(await problemsInLooks(page, 'snapshot-asked')).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
  await dialog.getByRole('link', { name: 'stage-1' }).waitFor();
  await close();
  await choose('Changes since the last one…');
  await dialog.getByText('No configuration has changed.').waitFor();
  const command = ['ip', 'address', 'add', '10.99.0.1/24', 'dev', 'eth1'];
  await service.request(`/labs/${id}/nodes/h1/exec`, { method: 'POST', body: { command } });
  await dialog.getByRole('button', { name: 'Read again' }).click();
  await dialog.getByRole('region', { name: 'Changes of h1' }).getByText('+  address 10.99.0.1/24').waitFor();
  expect(await problemsInLooks(page, 'snapshot-changes', { part: '[role="dialog"]' })).toEqual([]);
  // Before there is a snapshot, the reply is a 404.
  expect(complaints.filter((text) => !text.includes(`/labs/${id}/diff`))).toEqual([]);
}, 120_000);

/** The labs that a restore starts are up, and are taken down later. */
async function startedIn(...names: readonly string[]): Promise<void> {
  for (const workspace of names) {
    const { json } = await service.get(`/jobs?workspace=${workspace}`);
    const ended = await service.ended(json.jobs[0].id);
    takeDownLater({ where: { home, directory: path.join(workspaces, workspace) }, instance: ended.instance });
    expect(ended).toMatchObject({ state: 'success', labels: { snapshot: 'stage-1' } });
  }
}

it(`a snapshot is started by keyboard alone, as far as the quota allows${because}`, async () => {
  const { page, complaints, dialog } = await open('sue', 'snapshots');
  const row = page.getByRole('table', { name: 'Snapshots' }).getByRole('row').nth(1);
  await row.getByText('stage-1').waitFor();
  expect((await row.getByRole('cell').allInnerTexts()).slice(0, 4)).toEqual([
    'stage-1',
    `kept-${id} (${id})`,
    'engine',
    '2',
  ]);
  expect(await problemsInLooks(page, 'snapshots')).toEqual([]);
  await pressTo(page, 'Tab', page.getByRole('button', { name: 'Actions of stage-1' }));
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Start a lab…' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByText('Your quota leaves 2 labs like this one.').waitFor();
  const [name, count] = [
    dialog.getByRole('textbox', { name: /^Workspace|^Beginning/ }),
    dialog.getByLabel('Number of labs'),
  ];
  expect(await name.inputValue()).toBe('stage-1');
  expect(await dialog.getByLabel('Take a free lab ID').isChecked()).toBe(true);
  expect(await problemsInLooks(page, 'restore-asked', { part: '[role="dialog"]' })).toEqual([]);
  await pressTo(page, 'Shift+Tab', count);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('3');
  await dialog.getByText('your quota leaves 2 labs like this one', { exact: true }).waitFor();
  expect(await problemsInLooks(page, 'restore-over-quota', { part: '[role="dialog"]' })).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await dialog.getByText('The workspaces are stage-1-1 to stage-1-2').waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('2 labs are starting:').waitFor();
  await dialog.getByText(/takes no configurations back/).waitFor();
  expect(await problemsInLooks(page, 'restored', { part: '[role="dialog"]' })).toEqual([]);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await startedIn('stage-1-1', 'stage-1-2');
  expect(complaints).toEqual([]);
});

it(`a workspace that is there is replaced only on request, and never while a lab runs in it${because}`, async () => {
  const down = { action: 'down', workdir: path.join(workspaces, 'stage-1-2') };
  expect(await service.ended(await service.start(down))).toMatchObject({ state: 'success' });
  const { page, complaints, dialog } = await open('sue', 'snapshots/stage-1');
  await page.getByRole('button', { name: 'Start a lab' }).click();
  const [name, yes] = [
    dialog.getByRole('textbox', { name: 'Workspace' }),
    dialog.getByRole('button', { name: 'Start the lab' }),
  ];
  await name.fill('stage-1-1');
  await dialog.getByText(/runs in this workspace: stop it first/).waitFor();
  await name.fill('stage-1-2');
  await dialog.getByText(/or replace its files/).waitFor();
  expect(await yes.isDisabled()).toBe(true);
  await dialog.getByLabel('Replace all files of this workspace').check();
  await dialog.getByText('All files that are in the workspace stage-1-2 now are lost.').waitFor();
  expect(await problemsInLooks(page, 'restore-replaces', { part: '[role="dialog"]' })).toEqual([]);
  await yes.click();
  await dialog.getByText('The lab is starting:').waitFor();
  await startedIn('stage-1-2');
  expect(complaints).toEqual([]);
});

it(`a viewer reads a snapshot; an operator compares it with a lab, and removes it${because}`, async () => {
  const viewer = await open('vic', 'snapshots');
  await viewer.page.getByRole('link', { name: 'stage-1' }).click();
  await viewer.page.getByRole('table', { name: 'Nodes' }).getByText('h2').waitFor();
  expect(await viewer.page.getByRole('button', { name: /Start|Compare|Actions/ }).count()).toBe(0);
  const { page, complaints, dialog } = await open('sue', 'snapshots/stage-1');
  await page.getByRole('table', { name: 'Nodes' }).getByText('h2').waitFor();
  expect(await problemsInLooks(page, 'snapshot')).toEqual([]);
  await page.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByRole('region', { name: 'Changes of h1' }).getByText('+  address 10.99.0.1/24').waitFor();
  const other = dialog.getByRole('option', { name: /^stage-1-1 / });
  await dialog.getByLabel('With').selectOption(String(await other.getAttribute('value')));
  await dialog.getByText('No configuration has changed.').waitFor();
  expect(await problemsInLooks(page, 'snapshot-compared', { part: '[role="dialog"]' })).toEqual([]);
  await page.keyboard.press('Escape');
  const archive = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Actions of stage-1' }).click();
  await page.getByRole('menuitem', { name: 'Download .tar.gz' }).click();
  expect((await archive).suggestedFilename()).toBe('stage-1.tar.gz');
  await page.getByRole('button', { name: 'Actions of stage-1' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await dialog.getByText(/This deletes all of its \d+ files/).waitFor();
  expect(await problemsInLooks(page, 'snapshot-removed', { part: '[role="dialog"]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove stage-1' }).click();
  await page.getByText('No snapshots yet').waitFor();
  expect(await problemsInLooks(page, 'snapshots-none')).toEqual([]);
  expect([...complaints, ...viewer.complaints]).toEqual([]);
});

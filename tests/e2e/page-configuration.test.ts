/** In the page: the configurations of a lab are collected and downloaded, one node's is saved, devices are configured. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { fillInLogin } from '../support/page.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';
import { makeTeam, passwords } from '../support/team.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, root, it, takeDownLater } = preparedLabs({ missing });
const env = { LAB_API_CLI: 'engine', LAB_HOME: home };
const id = String(freeInstanceNumber());
const workdir = path.join(root, `configured-${id}`);

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  mkdirSync(workdir);
  takeDownLater({ where: { home, directory: workdir }, instance: id });
  writeFileSync(
    path.join(workdir, 'topology.yml'),
    'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n',
  );
  service = await startProgram({ ground: makeGround(), env });
  const up = await service.start({ action: 'up', workdir, multilabId: Number(id) });
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
});
afterAll(async () => void (await service?.end()));

const labAt = (query = '', { url } = service): string => `${url}/ui/labs/${id}${query}`;

async function saved(page: Page, link: Locator): Promise<{ name: string; file: string }> {
  const downloads = page.waitForEvent('download');
  await link.click();
  const download = await downloads;
  const name = download.suggestedFilename();
  const file = path.join(root, `saved-${name}`);
  await download.saveAs(file);
  return { name, file };
}

async function choose(page: Page, entry: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Configuration', exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
  return page.getByRole('dialog');
}

describe('a lab of the engine', () => {
  it(`has its configurations collected into a new directory, shown and downloaded${because}`, async () => {
    // A directory of the user with the name that the lab CLI takes by itself.
    mkdirSync(path.join(workdir, 'config'));
    writeFileSync(path.join(workdir, 'config', 'notes.txt'), 'mine');
    const { page, complaints } = await visit({ acceptDownloads: true });
    await page.goto(labAt());
    await page.getByRole('button', { name: 'Configuration', exact: true }).click();
    // The engine configures no devices.
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Collect configurations…']);
    await page.getByRole('button', { name: /^h1 / }).waitFor();
    await look(page, 'configuration-menu');
    await page.getByRole('menuitem', { name: 'Collect configurations…' }).click();
    const dialog = page.getByRole('dialog');
    const directory = String(await dialog.getByText(/^collected-\d{8}-\d{9}$/).textContent());
    expect(await problemsInLooks(page, 'collect-asked')).toEqual([]);
    await dialog.getByRole('button', { name: 'Collect', exact: true }).click();
    await dialog.getByText('5 files').waitFor();
    await dialog.getByText('success').waitFor();
    // It is a question no longer.
    await page.getByRole('dialog', { name: /^Collect the configurations of .*[^?]$/ }).waitFor();
    await dialog.getByRole('button', { name: `Show ${directory}/h1.cfg` }).click();
    await dialog
      .getByRole('region', { name: /h1\.cfg/ })
      .getByText('! node h1')
      .waitFor();
    expect(await problemsInLooks(page, 'collected', { part: '[role="dialog"]' })).toEqual([]);

    const one = await saved(page, dialog.getByRole('link', { name: `${directory}/h2.cfg` }));
    expect([one.name, readFileSync(one.file, 'utf8')]).toEqual([
      'h2.cfg',
      expect.stringMatching(/^! node h2,/),
    ]);
    const all = await saved(page, dialog.getByRole('link', { name: 'All as tar.gz' }));
    const members = execFileSync('tar', ['-tzf', all.file], { encoding: 'utf8' });
    expect(members).toContain(`${directory}/h1.cfg`);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    expect(readdirSync(path.join(workdir, 'config'))).toEqual(['notes.txt']);
    expect(complaints).toEqual([]);
  });

  it(`has the configuration of a node as a file${because}`, async () => {
    const { page, complaints } = await visit({ acceptDownloads: true });
    await page.goto(labAt('?node=h1'));
    const save = page.getByRole('button', { name: 'Save configuration of h1' });
    const { name, file } = await saved(page, save);
    expect([name, readFileSync(file, 'utf8')]).toEqual(['h1.cfg', expect.stringMatching(/^! node h1,/)]);
    expect(await problemsInLooks(page, 'save-configuration')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it(`offers nothing of that to a viewer${because}`, async () => {
    const team = await makeTeam(root);
    const guarded = await startProgram({ env: { ...env, ...team.env } });
    const { page } = await visit();
    await page.goto(labAt('?node=h1', guarded));
    await fillInLogin(page, { user: 'vera', password: passwords.vera });
    await page.getByRole('table', { name: 'Interfaces' }).waitFor();
    expect(await page.getByRole('button', { name: /configuration/i }).count()).toBe(0);
    await guarded.end();
  });
});

describe('a lab of netlab', () => {
  // Programs of the test in place of netlab and Docker.
  const { ground, env: programs } = makeNodeGround({ groups: { routers: ['r1'] } });
  const netlab = programs['LAB_API_CLI'] ?? '';
  const says = readFileSync(netlab, 'utf8');
  const jobs =
    'case $1 in initial) echo "configuring $*" ;; config) echo "Error in config: Cannot find motd configuration template" >&2; exit 1 ;; esac\n';
  const list = path.resolve('tests/fixtures/netlab/reports.yml');
  const reports = `case $1 in show) cat '${list}'; exit ;; report) echo "<html><h1>$3</h1><script>close()</script></html>"; exit ;; esac\n`;
  writeFileSync(netlab, says.replace('#!/bin/sh\n', `#!/bin/sh\n${jobs}${reports}`));
  chmodSync(netlab, 0o755);

  it(`is configured again, and a job that fails says why${because}`, async () => {
    const here = await startProgram({ ground, env: { ...programs } });
    const asked = async () =>
      (await here.get('/jobs')).json.jobs.map(({ command }: { command: string[] }) =>
        command.slice(1).join(' '),
      );
    const { page, complaints } = await visit();
    await page.goto(`${here.url}/ui/labs/default`);
    const initial = await choose(page, 'Configure again…');
    await initial.getByRole('combobox', { name: 'Nodes' }).fill('r1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await problemsInLooks(page, 'configure-again', { part: '[role="dialog"]' })).toEqual([]);
    await initial.getByRole('button', { name: 'Configure again' }).click();
    await initial.getByRole('link', { name: 'Job and log' }).waitFor();
    await initial.getByText('success').waitFor();
    expect(await asked()).toContain('initial --instance default --limit r1');
    await initial.getByRole('button', { name: 'Close' }).last().click();

    const template = await choose(page, 'Deploy a template…');
    const deploy = template.getByRole('button', { name: 'Deploy', exact: true });
    expect(await deploy.isDisabled()).toBe(true);
    await template.getByLabel('Template').fill('motd');
    expect(await problemsInLooks(page, 'deploy-template', { part: '[role="dialog"]' })).toEqual([]);
    await deploy.click();
    await template
      .getByRole('group', { name: 'Error' })
      .getByText('Cannot find motd configuration template')
      .waitFor();
    await look(page, 'deploy-failed');
    expect(await asked()).toContainEqual(expect.stringMatching(/^config (?=.*motd)(?!.*--limit)/));
    // The program of the test lists no tests of the lab.
    expect(complaints.filter((text) => !text.includes('/labs/default/tests'))).toEqual([]);
    await here.end();
  });

  it(`has its reports as pages in new tabs${because}`, async () => {
    const here = await startProgram({ ground, env: { ...programs } });
    const { page, complaints } = await visit();
    await page.goto(`${here.url}/ui/labs/default`);
    await page.getByRole('button', { name: 'Reports' }).click();
    const wiring = page.getByRole('menuitem', { name: 'Lab wiring' });
    await wiring.waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(13);
    await look(page, 'reports-menu');
    const tabs = page.waitForEvent('popup');
    await wiring.click();
    const tab = await tabs;
    await tab.getByRole('heading', { name: 'wiring.html' }).waitFor();
    expect(tab.url()).toBe(`${here.url}/labs/default/reports/wiring.html`);
    // The program of the test lists no tests of the lab.
    expect(complaints.filter((text) => !text.includes('/labs/default/tests'))).toEqual([]);
    await here.end();
  });
});

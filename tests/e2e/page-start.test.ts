/** The dialog that starts a lab, and what the labs page is for those who see little, hold a phone, or may only look. */
import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { engineGround, giveNumber, openLabs } from '../support/page-of-labs.ts';
import { makeGround, startProgram, topologyThat } from '../support/service.ts';
import { basic, makeTeam, passwords } from '../support/team.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { variants } from '../support/thorough.ts';

const root = temporaryDirectory();
const { startEngine, templates } = engineGround({ root, home: path.join(root, 'home') });

const inBrowser = missingForBrowser === undefined ? test : test.skip;
const variant = variants(inBrowser);
const browserBecause = missingForBrowser === undefined ? '' : ` (skipped: ${missingForBrowser})`;

describe('the dialog that starts a lab', () => {
  inBrowser(
    `what the service refuses stands at its field, and what it refused is not sent again${browserBecause}`,
    async () => {
      const { service } = await startEngine();
      const { page } = await openLabs(service, '?start=text');
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('tab', { name: 'Your own' }).waitFor();
      await page.goBack();
      await giveNumber(page, '999');
      await page.getByLabel('Time to live').fill('soon');
      const startIt = page.getByRole('button', { name: 'Start the lab' });
      await startIt.click();
      const time = page.getByLabel('Time to live');
      await page.getByText('a time such as 2 h').waitFor();
      expect(await time.getAttribute('aria-invalid')).toBe('true');
      await time.fill('2 h');
      await startIt.click();
      const number = page.getByLabel('Lab ID: the number');
      await page.getByText('must be a whole number from 1 to 200').waitFor();
      expect(await number.getAttribute('aria-invalid')).toBe('true');
      await number.and(page.locator(':focus')).waitFor();
      expect(await time.getAttribute('aria-invalid')).not.toBe('true');
      await look(page, 'start-refused');

      // An option out of sight comes into sight when it is what is wrong.
      await number.fill('1');
      await page.getByRole('button', { name: 'More options' }).click();
      await page.getByLabel('Callback url').fill('ftp://example.org');
      await page.getByRole('button', { name: 'More options' }).click();
      await startIt.click();
      const callback = page.getByLabel('Callback url');
      await callback.and(page.locator('[aria-invalid="true"]')).waitFor();
      expect((await service.get('/jobs')).json.jobs).toEqual([]);

      // A typed topology is not lost by a key.
      const topology = page.getByRole('textbox', { name: 'Topology', exact: true });
      await topology.fill('nodes: [mine]');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      expect(await topology.inputValue()).toBe('nodes: [mine]');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      await topology.waitFor({ state: 'detached' });
    },
  );

  inBrowser(
    `takes what is typed before the list is there, and gives the focus back${browserBecause}`,
    async () => {
      const { service } = await startEngine();
      const { page } = await visit();
      let giveTemplates = (): void => undefined;
      const given = new Promise<void>((resolve) => (giveTemplates = resolve));
      await page.route(/\/templates\?/, async (route) => given.then(async () => route.continue()));
      await page.goto(`${service.url}/ui/`);
      const startIt = page.getByRole('link', { name: 'Start a lab' });
      await startIt.click();
      const search = page.getByLabel('Search templates');
      await search.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('twohosts');
      await page.keyboard.press('Enter');
      giveTemplates();
      await page.getByRole('option', { name: /twohosts/ }).waitFor();
      expect(await search.inputValue()).toBe('twohosts');
      await page.keyboard.press('Enter');
      await page.waitForURL(/start=template.*two-hosts/);
      await page.keyboard.press('Escape');
      await startIt.and(page.locator(':focus')).waitFor();

      // The search of Ctrl K is gone when the dialog closes.
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search', { exact: true }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('start a lab');
      await page.keyboard.press('Enter');
      await search.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('main:focus').waitFor();
    },
  );

  inBrowser(`a mistake in a typed topology is named at once${browserBecause}`, async () => {
    const { service } = await startEngine();
    const { page } = await openLabs(service, '?start=text');
    const topology = page.getByRole('textbox', { name: 'Topology', exact: true });
    await topology.fill('nodes: [h1, h2]\nlinks: [h1-h4]\n');
    await page.getByText('Line 2: there is no node “h4”').waitFor();
    await topology.fill('nodes: [h1, h2]\nlinks: [h1-h2]\n');
    await page.locator('textarea[aria-invalid="true"]').waitFor({ state: 'detached' });
  });

  variant(`what this server cannot run is not offered, and it says why${browserBecause}`, async () => {
    const { service } = await startEngine();
    const { page } = await openLabs(service, 'labs?start=');
    const option = page.getByRole('option', { name: /switches/ });
    await option.getByText('has no device "eos"').waitFor();
    expect(await option.getAttribute('aria-disabled')).toBe('true');
    // A person may click there all the same; a test is not let.
    await option.click({ force: true });
    expect(new URL(page.url()).searchParams.get('start')).toBe('');
    await look(page, 'start-choose');
    expect(await objectionsOn(page)).toEqual([]);

    // A link may lead there all the same.
    const file = path.join(templates, 'eos', 'topology.yml');
    await page.goto(`${service.url}/ui/?start=${encodeURIComponent(`template:${file}`)}`);
    await page.getByRole('alert').getByText('has no device "eos"').waitFor();
    expect(await page.getByRole('button', { name: 'Start the lab' }).isDisabled()).toBe(true);
  });

  variant(
    `of five hundred templates, a few are drawn, and the one that is looked for is found${browserBecause}`,
    async () => {
      const { service } = await startEngine();
      const many = path.join(root, 'many');
      mkdirSync(many, { recursive: true });
      for (let number = 0; number < 500; number += 1)
        writeFileSync(
          path.join(many, `t${number}.yml`),
          `name: lesson ${number}\nnodes: [a, b]\nlinks: [a-b]\n`,
        );
      writeFileSync(path.join(many, 'notes.yml'), '- not\n- a topology\n');
      const { page } = await openLabs(service, `?start=&dir=${encodeURIComponent(many)}`);
      await page.getByText('500 in total').waitFor();
      const others = page.getByLabel('Show 1 YAML file without a topology');
      await others.check();
      await page.getByText('501 in total').waitFor();
      await others.uncheck();
      const options = page.getByRole('option');
      await options.first().waitFor();
      expect(await options.count()).toBeLessThan(50);
      const list = page.getByRole('listbox', { name: 'Templates' });
      await list.press('PageDown');
      await list.press('ArrowDown');
      await page.getByRole('option', { selected: true }).and(page.locator('[aria-posinset="10"]')).waitFor();
      await page.getByLabel('Search templates').fill('lesson 433');
      await page.getByText('1 of 500').waitFor();
      await page.getByRole('option', { name: /lesson 433/ }).waitFor();
      await look(page, 'start-many');
    },
  );
});

describe('the page', () => {
  const places = [
    { what: 'no labs', start: undefined },
    { what: 'what there is to choose from', start: '' },
    { what: 'a template', start: `template:${path.join(templates, 'two-hosts', 'topology.yml')}` },
    { what: 'a topology that is typed', start: 'text' },
    { what: 'a workspace that is not there', start: 'workspace:none' },
  ];
  inBrowser(`shuts nobody out, and is no wider than a phone${browserBecause}`, async () => {
    const { service } = await startEngine();
    const { page, complaints } = await visit();
    const found: string[] = [];
    for (const { what, start } of places) {
      const query = start === undefined ? '' : `?start=${encodeURIComponent(start)}`;
      await page.goto(`${service.url}/ui/${query}`);
      if (start === undefined) await page.getByRole('link', { name: /twohosts/ }).waitFor();
      else if (start === '') await page.getByRole('option', { name: /twohosts/ }).waitFor();
      else {
        await page.getByRole('button', { name: 'More options' }).click();
        await page.getByLabel('Callback url').waitFor();
      }
      if (start === 'workspace:none') await page.getByText('There is no workspace none.').waitFor();
      found.push(...(await problemsInLooks(page, `start ${what}`.replaceAll(' ', '-'))));
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });

  inBrowser(`offers a viewer nothing that a viewer may not do${browserBecause}`, async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const ops = { headers: basic('ops', passwords.ops) };
    const service = await startProgram({ ground, env: team.env, client: ops });
    const { page } = await visit({ extraHTTPHeaders: basic('vera', passwords.vera) });
    await page.goto(`${service.url}/ui/jobs`);
    await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
    expect(await page.getByRole('link', { name: 'start a lab' }).count()).toBe(0);
    await page.goto(`${service.url}/ui/`);
    await page.getByText('Your login may view labs, not start them').waitFor();
    await service.ended(
      await service.start({ action: 'up', workdir: ground.workdir, topology: topologyThat() }),
    );
    await page.goto(`${service.url}/ui/?start=text`);
    const list = page.getByRole('list', { name: 'Labs' });
    await list.getByText('started').waitFor();
    await look(page, 'labs-viewer');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Start a lab' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Actions of lab/ }).count()).toBe(0);
    await page.getByText('Mine', { exact: true }).click();
    await page.getByRole('button', { name: 'Show all 1' }).waitFor();
  });
});

/** In the page: a command in many nodes of a lab, whose answers stand side by side. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { People } from '../support/people.ts';
import { startService, type RunningService } from '../support/service.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;
const people = new People({ olga: { role: 'operator' }, vera: { role: 'viewer' } });
const { ground, env } = makeNodeGround({
  containers: ['r1', 'r2', 'r3', 'r4'],
  groups: { routers: ['r1', 'r2', 'r3', 'r4'], odd: ['r1', 'r3'] },
});
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env, admit: people.admit });
});
afterAll(async () => service.stop());

async function pageOf(name: string) {
  const visitor = await visit({ extraHTTPHeaders: people.as(name) });
  await visitor.page.goto(`${service.url}/ui/labs/default`);
  await visitor.page.getByRole('heading', { name: /^Nodes/ }).waitFor();
  return visitor;
}

const panel = (page: Page) => page.getByRole('region', { name: 'Run a command' });
const answers = (page: Page) =>
  panel(page).getByRole('list', { name: 'Answers, those of most nodes first' }).locator(':scope > li');

describeInBrowser(missingForBrowser ?? 'a command in many nodes, in Chromium', () => {
  test('is typed by keyboard, shows how it goes on, and joins equal answers', async () => {
    const { page, complaints } = await pageOf('olga');
    await page.getByRole('button', { name: 'Run a command' }).press('Enter');
    const [nodes, line] = [
      page.getByRole('combobox', { name: 'Nodes' }),
      page.getByRole('textbox', { name: 'Command' }),
    ];
    await nodes.fill('routers');
    await nodes.press('Enter');
    const gate = path.join(ground.root, 'gate');
    execFileSync('mkfifo', [gate]);
    const odd = `*r2) read -r go <'${gate}'; echo 10.0.0.9; exit 3`;
    await line.fill(`sh -c "case \\$CONTAINER in ${odd} ;; *) echo 10.0.0.1 ;; esac"`);
    await line.press('Enter');
    await panel(page).getByText('3 of 4 nodes are done').waitFor();
    await look(page, 'many-nodes-running');
    writeFileSync(gate, 'go\n');
    await answers(page).nth(1).waitFor();
    expect(await answers(page).count()).toBe(2);
    const [usual = '', differing = ''] = await answers(page).allTextContents();
    expect(usual).toMatch(/^r\[1,3-4\].*exit code 0.*3 nodes.*10\.0\.0\.1\n$/s);
    expect(differing).toMatch(/^r2.*differs.*exit code 3.*1 node.*10\.0\.0\.9\n$/s);
    const part = '[aria-labelledby="run-in-nodes"]';
    const isReady = async () => answers(page).last().scrollIntoViewIfNeeded();
    expect(await problemsInLooks(page, 'many-nodes', { part, isReady })).toEqual([]);
    // The lab CLI of the test lists no tests.
    expect(complaints.filter((text) => !text.includes('/labs/default/tests'))).toEqual([]);
  });

  test('tells what the service refuses, and ends when the user cancels it or leaves', async () => {
    const { page } = await pageOf('olga');
    await page.getByRole('button', { name: 'Run a command' }).click();
    const [nodes, line] = [
      page.getByRole('combobox', { name: 'Nodes' }),
      page.getByRole('textbox', { name: 'Command' }),
    ];
    await nodes.fill('x*');
    await line.fill('ls');
    await line.press('Enter');
    await panel(page).getByText('no node matches "x*"').first().waitFor();
    await nodes.press('Backspace');
    for (const leave of [
      async () => page.getByRole('button', { name: 'Cancel', exact: true }).click(),
      async () => page.getByRole('link', { name: 'Jobs', exact: true }).click(),
    ]) {
      await line.fill('sleep 1000');
      await line.press('Enter');
      await eventually('it runs', () => processes().length > 0);
      await leave();
      await eventually('nothing is left', () => processes().length === 0);
    }
  });

  test('is not offered to a viewer', async () => {
    const { page } = await pageOf('vera');
    expect(await panel(page).count()).toBe(0);
  });
});

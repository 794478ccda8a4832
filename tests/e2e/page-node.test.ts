/** The page of a node, in a browser: real terminals, commands and packets in a lab of the bundled engine. */
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { lab, missingForLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { makeTeam, passwords } from '../support/team.ts';
import { variants } from '../support/thorough.ts';

// Packets are captured in labs that were started with privileges.
const missing = missingForBrowser ?? missingForLabs() ?? requirement('tcpdump').missing;
const { because, home, it, prepared, root } = preparedLabs({ missing });
const variant = variants(it);
const { where, instance } = prepared('page', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
  ],
});
const env = { LAB_API_CLI: 'engine', LAB_HOME: home };

// Real shells, real packets and a browser, on machines that have other things to do.
jest.setTimeout(180_000);

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env });
});
afterAll(async () => void (await service?.end()));

const processes = (): number[] =>
  processesWith(`LAB_HOME=${home}`).filter((pid) => pid !== service.run.child.pid);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

const addressOf = (node: string, tab: string, { url } = service): string =>
  `${url}/ui/labs/${instance}?node=${node}&tab=${tab}`;

/** A line on the screen of the terminal that is shown, as a screen reader has it. */
const line = (page: Page, text: RegExp): Locator =>
  page.getByRole('listitem').filter({ hasText: text }).first();
const ready = async (page: Page): Promise<void> => line(page, /[#$] *$/).waitFor();
/** What a terminal is chosen with, where several are open. */
const openTerminal = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Open terminals' }).getByRole('button', { name, exact: true });

async function opened(node: string, tab: string, options: Parameters<typeof visit>[0] = {}) {
  const visitor = await visit(options);
  await visitor.page.goto(addressOf(node, tab));
  return visitor;
}

describe('a terminal', () => {
  it(`is opened, used and left by keyboard, and follows the size of the page${because}`, async () => {
    const { page, complaints } = await opened('h1', 'overview');
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await ready(page);
    await page.keyboard.type('ping -c 2 -i 0.2 h2\n');
    // Beside the picture, that line may be longer than the screen is broad.
    await line(page, /^64 bytes from/).waitFor();
    await look(page, 'terminal');

    await page.keyboard.type('while sleep 0.2; do echo now $(stty size); done\n');
    const sizes = async (): Promise<string[]> =>
      (await page.getByRole('listitem').allTextContents()).flatMap(
        (text) => /^now (\d+ \d+)/.exec(text)?.[1] ?? [],
      );
    const before = await eventually('it tells its size', async () => (await sizes()).at(-1));
    await page.setViewportSize({ width: 1280, height: 600 });
    const after = await eventually('it tells another size', async () =>
      (await sizes()).find((size) => size !== before),
    );
    expect(after.split(' ').map(Number)[0]).toBeLessThan(Number(before.split(' ')[0]));
    await page.keyboard.press('Control+c');

    // A program in the node gets Escape; the drawer does not close with it.
    await page.keyboard.type('read -rsn1 -p "rea""dy? " key; printf "key%q\\n" "$key"\n');
    await line(page, /^ready\? /).waitFor();
    await page.keyboard.press('Escape');
    await line(page, /key\$'\\E'/).waitFor();
    const button = openTerminal(page, 'h1');
    await page.keyboard.press('Control+Shift+Enter');
    await eventually('the button has the focus', async () => button.and(page.locator(':focus')).isVisible());
    expect(complaints).toEqual([]);
  });

  variant(`that ends says why, and another one takes its place${because}`, async () => {
    const { page } = await opened('h1', 'terminal');
    await ready(page);
    await page.keyboard.type('exit 3\n');
    await page.getByRole('alert').getByText('has ended with exit code 3').waitFor();
    await look(page, 'terminal-ended');
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.keyboard.type('echo a""gain\n');
    await line(page, /^again/).waitFor();
  });

  variant(`stays while one looks elsewhere, and ends with the drawer${because}`, async () => {
    const { page } = await opened('h1', 'terminal');
    await ready(page);
    await page.keyboard.type('word=kept\n');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'r1' }).click();
    await page.getByRole('heading', { name: 'r1' }).waitFor();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await line(page, /r1.*[#$] *$/).waitFor();
    await openTerminal(page, 'h1').click();
    await page.getByRole('heading', { name: 'h1' }).waitFor();
    await page.keyboard.type('echo $word-alive\n');
    await line(page, /^kept-alive/).waitFor();

    await page.getByRole('button', { name: 'Close h1' }).click();
    const question = page.getByRole('dialog', { name: 'Something is still open' });
    await question.getByText('the terminal h1, the terminal r1').waitFor();
    await question.getByRole('button', { name: 'Keep open' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(processes().length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Close h1' }).click();
    await question.getByRole('button', { name: 'End and close' }).click();
    await page.getByRole('heading', { name: 'h1' }).waitFor({ state: 'detached' });
    await nothingIsLeft();
  });

  it.each(['closed', 'left'])(`ends when the page is %s, with what it started${because}`, async (how) => {
    const { page } = await opened('h1', 'terminal');
    await ready(page);
    await page.keyboard.type('(trap "" HUP; exec sleep 1000) & echo sta""rted\n');
    await line(page, /^started/).waitFor();
    if (how === 'closed') await page.close();
    else await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await nothingIsLeft();
  });

  variant(`that is refused says what the service says${because}`, async () => {
    const few = await startProgram({ env: { ...env, LAB_API_MAX_TERMINALS: '1' } });
    const { page } = await visit();
    await page.goto(addressOf('h1', 'terminal', few));
    await ready(page);
    await page.getByRole('button', { name: 'New in h1' }).click();
    await page.getByRole('alert').getByText('1 terminal is open already (LAB_API_MAX_TERMINALS)').waitFor();
    await look(page, 'terminal-refused');
    await page.getByRole('button', { name: 'End the terminal h1', exact: true }).click();
    await eventually('there is a place again', async () => {
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Opening a terminal').waitFor({ state: 'detached' });
      return (await page.getByRole('alert').count()) === 0;
    });
    await ready(page);
    await few.end();
  });
});

describe('commands', () => {
  it(`print while they run, and tell how they ended${because}`, async () => {
    const { page } = await opened('h1', 'run');
    const field = page.getByRole('textbox', { name: 'Command for h1' });
    const runs = page.getByRole('list', { name: 'Commands, newest first' }).getByRole('listitem');
    await field.fill(`sh -c 'hostname; exit 4'`);
    await field.press('Enter');
    await runs.first().getByText('exit code 4').waitFor();
    expect(await runs.first().getByRole('log').textContent()).toBe('h1\n');

    await field.fill('echo "');
    await field.press('Enter');
    await page.getByText('The quote " is not closed.').waitFor();
    await field.fill('echo one; sleep 1000 | cat');
    await page.getByText('Pipes, redirections and variables need a shell').waitFor();
    await page.getByRole('switch', { name: 'In a shell' }).click();
    await field.press('Enter');
    await runs.first().getByRole('log').getByText('one').waitFor();
    await look(page, 'run');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await runs.first().getByText('canceled').waitFor();
    await nothingIsLeft();

    await field.press('ArrowUp');
    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe(`sh -c 'hostname; exit 4'`);
    await field.press('ArrowDown');
    expect(await field.inputValue()).toBe('echo one; sleep 1000 | cat');
  });
});

describe('packets', () => {
  it(`are listed while they are captured, and are a file that tcpdump reads${because}`, async () => {
    const { page, complaints } = await opened('r1', 'capture', { acceptDownloads: true });
    await page.getByRole('combobox', { name: 'Interface' }).fill('eth2');
    await page.getByRole('textbox', { name: 'Filter', exact: true }).fill('icmp');
    await page.getByRole('button', { name: 'Capture' }).click();
    await page.getByText('Waiting for packets').waitFor();
    const ping = { command: ['ping', '-c', '3', '-i', '0.2', 'h2'] };
    const rows = page.getByRole('table', { name: 'Packets' }).getByRole('row');
    // The service answers before tcpdump listens.
    await eventually('packets come', async () => {
      await service.post(`/labs/${instance}/nodes/h1/exec`, ping);
      return (await rows.filter({ hasText: 'echo reply' }).count()) > 0;
    });
    await rows
      .filter({ hasText: /ICMP *\d+ *echo request, seq \d/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Stop the capture' }).click();
    await page.getByText('captured at eth2').waitFor();
    await look(page, 'capture');
    const file = path.join(root, 'from-the-page.pcap');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download .pcap' }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^r1-eth2-.*\.pcap$/);
    await saved.saveAs(file);
    const read = execFileSync('tcpdump', ['-nr', file], { encoding: 'utf8', stdio: 'pipe' });
    expect(read).toMatch(/ICMP echo request, id \d+, seq \d[^]*ICMP echo reply/);
    expect(read.trim().split('\n')).toHaveLength((await rows.count()) - 1);
    await nothingIsLeft();
    expect(complaints).toEqual([]);
  });

  it(`that cannot be captured say why${because}`, async () => {
    const { page } = await opened('h1', 'capture');
    const name = page.getByRole('combobox', { name: 'Interface' });
    const refusal = page.getByRole('alert');
    await name.fill('eth9');
    await page.getByRole('button', { name: 'Capture' }).click();
    await refusal.getByText(/eth9.*eth1/).waitFor();
    await name.fill('eth1');
    await page.getByRole('textbox', { name: 'Filter', exact: true }).fill('icmp and (');
    await page.getByRole('button', { name: 'Capture' }).click();
    await refusal.getByText("can't parse").waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('tab', { name: 'Capture' }).click();
    await page.locator('input[value="icmp and ("]').waitFor();
  });
});

describe('what there is to know', () => {
  variant(
    `its interfaces with what is at the other end, its log, and what it cannot do${because}`,
    async () => {
      const { page } = await opened('h1', 'overview');
      const row = page.getByRole('table', { name: 'Interfaces' }).getByRole('row').nth(1);
      await row.getByText('eth1').first().waitFor();
      const target = `/labs/${instance}/nodes/h1/interfaces/eth1/impairment`;
      await row.getByRole('button', { name: 'Impair eth1' }).click();
      const dialog = page.getByRole('dialog', { name: 'Impair eth1 of h1' });
      await dialog.getByRole('textbox', { name: 'Delay' }).fill('50');
      await dialog.getByRole('button', { name: 'Impair', exact: true }).click();
      // Not every kernel has netem.
      const asked = await service.request(target, { method: 'PUT', body: { delayMs: 50 } });
      if (asked.status === 200) await row.getByText('50 ms').waitFor();
      else await dialog.getByRole('alert').getByText(String(asked.json.detail)).waitFor();
      await look(page, 'impairment');
      await page.goto(addressOf('h1', 'log'));
      await page.getByText('nothing runs in it by itself, so there is no log').waitFor();
    },
  );

  it(`a viewer sees, and is offered nothing else${because}`, async () => {
    const team = await makeTeam(root);
    const guarded = await startProgram({ env: { ...env, ...team.env } });
    const { page } = await visit();
    await page.goto(addressOf('h1', 'terminal', guarded));
    await page.getByRole('textbox', { name: 'User' }).fill('vera');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwords.vera);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('table', { name: 'Interfaces' }).waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Overview', 'Log']);
    expect(await page.getByRole('button', { name: /Impair/ }).count()).toBe(0);
    await guarded.end();
  });
});

it(`axe finds nothing in any tab, wide, dark and narrow${because}`, async () => {
  const { page } = await opened('r1', 'overview');
  const isThere: Readonly<Record<string, () => Promise<void>>> = {
    Overview: async () => page.getByText('none').first().waitFor(),
    Terminal: async () => ready(page),
    Run: async () => page.getByRole('textbox', { name: 'Command for r1' }).waitFor(),
    Capture: async () => page.getByRole('button', { name: 'Capture' }).waitFor(),
    Log: async () => page.getByText('This node has no log').waitFor(),
  };
  const found: string[] = [];
  for (const [tab, isReady] of Object.entries(isThere)) {
    await page.getByRole('tab', { name: tab }).click();
    // The rest of the page is examined with the lab.
    found.push(...(await problemsInLooks(page, `node-${tab}`, { isReady, part: '[role="tabpanel"]' })));
  }
  expect(found).toEqual([]);
});

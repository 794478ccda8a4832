/** The page of a lab, in a browser: its picture, which can be moved and is kept, its nodes, jobs and tests. */
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Download, Locator, Page } from 'playwright-core';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';
import { variants } from '../support/thorough.ts';

const missing = missingForBrowser ?? missingForAnyLabs();
const { because, home, root, it, takeDownLater } = preparedLabs({ missing });
const variant = variants(it);

// A lab that starts, a picture that is laid out and a browser, on machines that have other things to do.
jest.setTimeout(180_000);

let service: RunningProgram;
let fabric: string;

const ended = async (body: Readonly<Record<string, unknown>>) =>
  expect(await service.ended(await service.start(body))).toMatchObject({ state: 'success' });

/** A number and a directory for a lab, which is taken down when the file is done. */
function prepared(label: string) {
  const id = freeInstanceNumber();
  const directory = path.join(root, `${label}-${id}`);
  mkdirSync(directory);
  takeDownLater({ where: { home, directory }, instance: String(id) });
  return { id: String(id), workdir: directory, up: { action: 'up', workdir: directory, multilabId: id } };
}

const tests = `
validate:
  ping: { description: H1 reaches H6, nodes: [h1], plugin: "ping('h6')" }
`;

beforeAll(async () => {
  if (missing !== undefined) return;
  service = await startProgram({ ground: makeGround(), env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  const { id, workdir, up } = prepared('fabric');
  fabric = id;
  const topology = path.join(workdir, 'topology.yml');
  copyFileSync('examples/spine-leaf/topology.yml', topology);
  writeFileSync(topology, tests, { flag: 'a' });
  await ended(up);
});

afterAll(async () => {
  await service?.end();
});

const names = ['s1', 's2', 'l1', 'l2', 'l3', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** A node in the picture: its name there tells its role, device, address and state, too. */
const nodeIn = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${name} `) });
const drawerOf = (page: Page, name: string): Locator =>
  page.getByRole('heading', { name, exact: true, level: 2 });

async function middleOf(node: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await node.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, y: y + height / 2 };
}

async function openFabric(options: Parameters<typeof visit>[0] = {}) {
  const visitor = await visit(options);
  await visitor.page.goto(`${service.url}/ui/labs/${fabric}`);
  await nodeIn(visitor.page, 'h6').waitFor();
  return visitor;
}

/** Drags a node, and waits until the service has kept that, or refused to. */
async function drag(
  page: Page,
  name: string,
  by: { readonly dx: number; readonly dy: number },
): Promise<number> {
  const { x, y } = await middleOf(nodeIn(page, name));
  const kept = page.waitForResponse((reply) => reply.request().method() === 'PUT');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.dx, y + by.dy, { steps: 8 });
  await page.mouse.up();
  return (await kept).status();
}

const putLayout = async (body: unknown) => service.request(`/labs/${fabric}/layout`, { method: 'PUT', body });

async function downloaded(page: Page, item: string): Promise<{ file: Download; bytes: Buffer }> {
  await page.getByRole('button', { name: 'Save the picture' }).click();
  const coming = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const file = await coming;
  return { file, bytes: readFileSync(await file.path()) };
}

describe('the page of a lab', () => {
  it(`shows its nodes with their names and states, its jobs and its tests${because}`, async () => {
    const { page, complaints } = await openFabric();
    for (const name of names) {
      const said = await nodeIn(page, name).getAttribute('aria-label');
      expect(said).toMatch(new RegExp(`^${name} linux, (router|host), .*up$`));
    }
    await page.getByText('11 of 11 nodes up').waitFor();
    const link = page.getByRole('button', { name: /^link s1-l1, eth1 \S+, eth1 / });
    expect(await link.count()).toBe(1);
    const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row');
    expect(await rows.count()).toBe(1 + names.length);
    await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'up' }).waitFor();
    await page.getByText('H1 reaches H6').waitFor();
    await look(page, 'lab');
    expect(complaints).toEqual([]);
  });

  variant(
    `opens a node by a click, by the keyboard, from the table and from its address${because}`,
    async () => {
      const { page } = await openFabric();
      await nodeIn(page, 'h1').click();
      await drawerOf(page, 'h1').waitFor();
      expect(new URL(page.url()).search).toBe('?node=h1');
      await page.getByRole('button', { name: 'Close h1' }).click();
      await drawerOf(page, 'h1').waitFor({ state: 'detached' });

      await nodeIn(page, 's1').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await drawerOf(page, 's2').waitFor();
      await page.goBack();
      await drawerOf(page, 's2').waitFor({ state: 'detached' });

      const table = page.getByRole('table', { name: 'Nodes' });
      await table.getByRole('button', { name: 'l3' }).click();
      await drawerOf(page, 'l3').waitFor();
      await page.reload();
      await drawerOf(page, 'l3').waitFor();
      await look(page, 'lab-node');
    },
  );

  variant(`sorts and filters its table${because}`, async () => {
    const { page } = await openFabric();
    const table = page.getByRole('table', { name: 'Nodes' });
    const first = table.getByRole('row').nth(1);
    await table.getByRole('button', { name: 'Name' }).click();
    await first.getByText('s2').waitFor();
    await page.getByRole('textbox', { name: 'Filter the nodes' }).fill('172.16.1');
    await first.getByText('h4').waitFor();
    expect(await table.getByRole('row').count()).toBe(3);
  });

  variant(
    `starts the tests of the lab, goes to that job, and shows their last results${because}`,
    async () => {
      const { page } = await openFabric();
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.waitForURL(/\/ui\/jobs\/job-/);
      const id = new URL(page.url()).pathname.split('/').pop() ?? '';
      expect(await service.ended(id)).toMatchObject({ action: 'validate', state: 'success' });
      await page.getByRole('tab', { name: 'Tests' }).click();
      expect(await problemsInLooks(page, 'job-tested')).toEqual([]);
      await page.goBack();
      const region = page.getByRole('region', { name: 'Tests' });
      await region.getByRole('link', { name: /^\d+ passed, 0 failed, 0 warnings$/ }).waitFor();
      await region.getByRole('cell', { name: 'passed' }).first().waitFor();
      expect(await problemsInLooks(page, 'lab-tested')).toEqual([]);
    },
  );
});

describe('what is moved in the picture', () => {
  it(`stays where it was put, until it is laid out anew${because}`, async () => {
    const { page } = await openFabric();
    const [h1, h6] = [nodeIn(page, 'h1'), nodeIn(page, 'h6')];
    expect((await middleOf(h1)).y).toBeLessThan((await middleOf(h6)).y);
    const { y } = await middleOf(h6);
    expect(await drag(page, 'h1', { dx: -60, dy: y - (await middleOf(h1)).y + 50 })).toBe(200);
    const isBelow = async (): Promise<boolean> => (await middleOf(h1)).y > (await middleOf(h6)).y;
    await page.reload();
    await h6.waitFor();
    expect(await isBelow()).toBe(true);
    await look(page, 'lab-moved');

    await page.getByRole('button', { name: 'Reset the layout' }).click();
    await page.getByText('the place of one box').waitFor();
    const kept = page.waitForResponse((reply) => reply.request().method() === 'PUT');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the layout' }).click();
    expect((await kept).status()).toBe(200);
    expect((await service.get(`/labs/${fabric}/layout`)).json).toEqual({ nodes: {}, links: {} });
    await page.reload();
    await h6.waitFor();
    expect(await isBelow()).toBe(false);
  });

  variant(`is moved by arrow keys, too${because}`, async () => {
    const { page } = await openFabric();
    await nodeIn(page, 'h3').click();
    await drawerOf(page, 'h3').waitFor();
    await nodeIn(page, 'h3').focus();
    const kept = page.waitForResponse((reply) => reply.request().method() === 'PUT');
    await page.keyboard.press('ArrowDown');
    expect((await kept).status()).toBe(200);
    expect(Object.keys((await service.get(`/labs/${fabric}/layout`)).json.nodes)).toEqual(['h3']);
    await putLayout({});
  });

  variant(`does not undo what somebody else has moved meanwhile${because}`, async () => {
    const { page } = await openFabric();
    const others = { nodes: { s1: { x: -200, y: 500 } }, links: {} };
    const before = await middleOf(nodeIn(page, 's1'));
    await putLayout(others);
    expect(await drag(page, 'h1', { dx: 0, dy: 40 })).toBe(412);
    await page.getByText('Another user has moved nodes').waitFor();
    // The picture is laid out by a worker: a drag before that would miss the node.
    const isMoved = async () => Math.abs((await middleOf(nodeIn(page, 's1'))).y - before.y) > 40;
    await eventually('the positions of the other user', isMoved);
    expect((await service.get(`/labs/${fabric}/layout`)).json).toEqual(others);
    expect(await drag(page, 'h1', { dx: 0, dy: 40 })).toBe(200);
    expect(Object.keys((await service.get(`/labs/${fabric}/layout`)).json.nodes)).toEqual(['s1', 'h1']);
    await putLayout({});
  });
});

it(`the picture of the service comes first, and the code of the page loads while the topology is on its way${because}`, async () => {
  const { page, complaints } = await visit();
  const first = page.locator('img[src$="/topology.svg?state=true"]');
  await page.route(`**/labs/${fabric}/layout`, async (route) => {
    await first.waitFor();
    const isDrawn = `document.querySelector('img[src*="topology.svg"]')?.naturalWidth > 0`;
    await eventually('the picture of the service', async () => (await page.evaluate(isDrawn)) === true);
    await route.continue();
  });
  const loaded = page.waitForEvent('worker');
  await page.route(`**/labs/${fabric}/topology`, async (route) => {
    await loaded;
    await route.continue();
  });
  await page.goto(`${service.url}/ui/labs/${fabric}`);
  await nodeIn(page, 's1').waitFor();
  expect(await first.count()).toBe(0);
  expect(complaints).toEqual([]);
});

variant(`the picture is saved as SVG and as PNG${because}`, async () => {
  const { page, complaints } = await openFabric();
  const svg = await downloaded(page, 'Save as SVG');
  expect(svg.file.suggestedFilename()).toBe(`lab-${fabric}.svg`);
  expect(svg.bytes.toString('utf8')).toContain('>11 up<');
  const png = await downloaded(page, 'Save as PNG');
  expect(png.file.suggestedFilename()).toBe(`lab-${fabric}.png`);
  expect(png.bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001A\n');
  // Width and height stand first in a PNG.
  expect(png.bytes.readUInt32BE(16)).toBeGreaterThan(1_000);
  expect(complaints).toEqual([]);
});

it(`a lab comes and goes before one's eyes${because}`, async () => {
  const { id, workdir, up } = prepared('passing');
  const { page } = await visit();
  await page.goto(`${service.url}/ui/labs/${id}`);
  await page.getByRole('heading', { name: `Lab ${id} not found` }).waitFor();
  copyFileSync('examples/triangle/topology.yml', path.join(workdir, 'topology.yml'));
  await service.start(up);
  await nodeIn(page, 'r1').waitFor();
  await page.getByText('6 of 6 nodes up').waitFor();
  await service.start({ action: 'down', instance: id, cleanup: true });
  await page.getByRole('heading', { name: new RegExp(`^Lab .+ \\(${id}\\) is not running$`) }).waitFor();
  const all = page.getByRole('link', { name: 'All jobs of this lab' });
  expect(await all.getAttribute('href')).toContain(`/jobs?instance=${id}`);
  await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'down' }).waitFor();
  expect(await objectionsOn(page)).toEqual([]);

  // A lab with the same number elsewhere has a history of its own.
  const other = path.join(root, `passing-elsewhere-${id}`);
  mkdirSync(other);
  takeDownLater({ where: { home, directory: other }, instance: id });
  copyFileSync('examples/triangle/topology.yml', path.join(other, 'topology.yml'));
  await service.start({ ...up, workdir: other });
  await page.getByText('6 of 6 nodes up').waitFor();
  const jobs = page.getByRole('table', { name: 'Jobs' }).getByRole('link');
  await jobs.getByText('up', { exact: true }).waitFor();
  expect(await jobs.count()).toBe(1);
  expect(await all.getAttribute('href')).toContain(encodeURIComponent(other));
});

it(`axe objects to nothing, wide, dark and narrow${because}`, async () => {
  const { page } = await openFabric();
  await page.getByText('H1 reaches H6').waitFor();
  const found = await problemsInLooks(page, 'lab');
  await nodeIn(page, 'h1').click();
  await drawerOf(page, 'h1').waitFor();
  const withNode = await problemsInLooks(page, 'lab-node', {
    isReady: async () => drawerOf(page, 'h1').waitFor(),
  });
  expect([...found, ...withNode]).toEqual([]);
});

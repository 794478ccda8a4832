import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NodePositions } from '../../../../src/labs/drivers/topology-driver.ts';
import { LabLayouts, layoutRequestSchema, layoutSchema } from '../../../../src/labs/picture/lab-layouts.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const lab = '/labs/one';
const empty = { nodes: {}, links: {} };
const at = (x: number, y = 0) => ({ x, y });
const always = (): void => undefined;
let dataDir: string;
/** What another tool keeps beside the topology; it takes what is written, but for `isClosed`. */
let beside: NodePositions | undefined;
let isClosed: boolean;

const layouts = () =>
  new LabLayouts(dataDir, {
    read: () => Promise.resolve(beside),
    write: (directory, positions, mayWrite) => {
      if (beside !== undefined && !isClosed && mayWrite(`${directory}/file`)) beside = positions;
      return Promise.resolve(beside);
    },
  });

beforeEach(() => {
  dataDir = mkdtempSync(path.join(root, 'data-'));
  beside = undefined;
  isClosed = false;
});

const directory = (): string => path.join(dataDir, 'layouts');
const onlyFile = (): string => path.join(directory(), readdirSync(directory())[0] ?? '');

test('it is empty at first, then what was put there, by directory, for the next service, too', async () => {
  expect(await layouts().get(lab)).toEqual(empty);
  const layout = { nodes: { r1: at(1, 2) }, links: { 3: at(-4.5) } };
  await layouts().put(lab, layout, always);
  expect(await layouts().get(lab)).toEqual(layout);
  expect(await layouts().get('/labs/two')).toEqual(empty);
  expect([statSync(directory()).mode & 0o777, statSync(onlyFile()).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('it is replaced unless a check of the one that is there throws', async () => {
  await layouts().put(lab, { ...empty, nodes: { r1: at(1) } }, always);
  const seen: unknown[] = [];
  const put = layouts().put(lab, empty, (now) => {
    seen.push(now);
    throw new Error('it is another one by now');
  });
  await expect(put).rejects.toThrow('another one by now');
  expect(seen).toEqual([{ nodes: { r1: at(1) }, links: {} }]);
  expect(await layouts().get(lab)).toEqual({ nodes: { r1: at(1) }, links: {} });
});

test('one follows the other', async () => {
  const shared = layouts();
  const seen: unknown[] = [];
  const puts = [1, 2, 3].map(async (x) =>
    shared.put(lab, { ...empty, nodes: { r1: at(x) } }, ({ nodes }) => void seen.push(nodes['r1']?.x)),
  );
  await Promise.all(puts);
  expect(seen).toEqual([undefined, 1, 2]);
});

describe('what another tool keeps', () => {
  test('counts when nothing was saved here, or when it has changed since', async () => {
    beside = { r1: at(5) };
    expect(await layouts().get(lab)).toEqual({ nodes: { r1: at(5) }, links: {} });
    await layouts().put(lab, { nodes: { r1: at(1) }, links: { 3: at(3) } }, always);
    expect(beside).toEqual({ r1: at(1) });
    beside = { r1: at(6) };
    // It knows of no links.
    expect(await layouts().get(lab)).toEqual({ nodes: { r1: at(6) }, links: { 3: at(3) } });
  });

  test('counts no more than what was saved here when it is the same, in whatever order, or says nothing', async () => {
    beside = { r1: at(5), r2: at(6, 7) };
    isClosed = true;
    const own = { nodes: { r1: at(1) }, links: {} };
    await layouts().put(lab, own, always);
    beside = { r2: at(6, 7), r1: at(5) };
    expect(await layouts().get(lab)).toEqual(own);
    beside = {};
    expect(await layouts().get(lab)).toEqual(own);
    beside = { r2: at(6, 8), r1: at(5) };
    expect(await layouts().get(lab)).toEqual({ nodes: beside, links: {} });
  });

  test('is left alone where whoever saves may not write', async () => {
    beside = { r1: at(5) };
    const asked: string[] = [];
    await layouts().put(lab, { ...empty, nodes: { r1: at(1) } }, always, (file) => asked.push(file) === 0);
    expect([beside, asked]).toEqual([{ r1: at(5) }, ['/labs/one/file']]);
    expect(await layouts().get(lab)).toEqual({ nodes: { r1: at(1) }, links: {} });
  });

  test('is told as far as it can be in a layout', async () => {
    beside = Object.fromEntries(
      ['', '__proto__', 'x'.repeat(200), 'x'.repeat(201)].map((name) => [name, at(1)]),
    );
    expect(Object.keys((await layouts().get(lab)).nodes)).toEqual(['x'.repeat(200)]);
    beside = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`n${index}`, at(index)]));
    expect(Object.keys((await layouts().get(lab)).nodes)).toHaveLength(5_000);
  });
});

describe('its file', () => {
  test.each(['', '{', '{"directory":"/labs/one"}'])('is none when it is damaged: %j', async (text) => {
    await layouts().put(lab, { ...empty, nodes: { r1: at(1) } }, always);
    writeFileSync(onlyFile(), text);
    expect(await layouts().get(lab)).toEqual(empty);
  });

  test('of an earlier version, which did not know of other tools, is read', async () => {
    await layouts().put(lab, empty, always);
    const layout = { nodes: { r1: at(1) }, links: {} };
    writeFileSync(onlyFile(), JSON.stringify({ directory: lab, layout }));
    expect(await layouts().get(lab)).toEqual(layout);
  });

  test('that cannot be read is told as that', async () => {
    await layouts().put(lab, empty, always);
    const { name } = path.parse(onlyFile());
    dataDir = mkdtempSync(path.join(root, 'data-'));
    mkdirSync(path.join(directory(), `${name}.json`), { recursive: true });
    expect(await failureOf(layouts().get(lab))).toMatchObject({ code: 'storage-fault' });
  });

  test.each([
    ['EIO', 'the layout cannot be written now'],
    ['ENOSPC', 'the layout cannot be written now: the disk is full'],
  ])('that cannot be written for %s is told as that', async (code, message) => {
    const write = async () => Promise.reject(Object.assign(new Error('it cannot be'), { code }));
    const broken = new LabLayouts(dataDir, { read: () => Promise.resolve(undefined), write });
    const failure = await failureOf(broken.put(lab, empty, always));
    expect([failure.code, failure.message]).toEqual(['storage-fault', message]);
  });

  test('is one of a thousand at most: the oldest go', async () => {
    mkdirSync(directory());
    for (let index = 0; index < 1_001; index += 1) {
      writeFileSync(path.join(directory(), `${index}`), '');
      if (index % 500 === 0) utimesSync(path.join(directory(), `${index}`), 1, 1 + index);
    }
    await layouts().put(lab, empty, always);
    const names = readdirSync(directory());
    expect(names).toHaveLength(1_000);
    expect(['0', '500', '1000', '1'].filter((name) => names.includes(name))).toEqual(['1000', '1']);
  });
});

test.each([
  [{ nodes: { r1: at(0, -1_000_001) } }, false],
  [{ links: { ['x'.repeat(201)]: at(1) } }, false],
  [{ links: { '': at(1) } }, false],
  [{ nodes: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [index, at(1)])) }, true],
  [{ nodes: Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [index, at(1)])) }, false],
])('what may be sent (%#)', (sent, isSound) => {
  expect(layoutRequestSchema.safeParse(sent).success).toBe(isSound);
  expect(layoutSchema.safeParse({ ...empty, ...sent }).success).toBe(isSound);
});

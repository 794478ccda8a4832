/** What becomes of labs while somebody wants to know. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Feed } from '../../../src/events/feed.ts';
import { FeedState } from '../../../src/events/feed-state.ts';
import { LabWatch } from '../../../src/events/lab-watch.ts';
import type { KnownLab } from '../../../src/labs/status/lab-status.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const feeds: Feed[] = [];
const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  for (const feed of feeds.splice(0)) await feed.close();
});

const labOf = (id: string, entry: Record<string, unknown>, directory?: string): KnownLab => ({
  id,
  cli: 'netlab',
  entry,
  directory,
});

async function watched() {
  const log = new MemoryLogger();
  const feed = new Feed({ directory: path.join(mkdtempSync(path.join(root, 'data-')), 'events'), log });
  feeds.push(feed);
  await feed.open(() => new FeedState());
  const answers: (() => Promise<readonly KnownLab[]>)[] = [];
  const status = {
    version: '',
    missingClis: [] as string[],
    ready: null as boolean | null,
    readyOf: () => status.ready,
    forgotten: [] as string[],
    forgetReady: ({ instance }: { readonly instance: string }) => void status.forgotten.push(instance),
    told: async () => ({
      labs: (await (answers.length > 1 ? answers.shift() : answers[0])?.()) ?? [],
      missingClis: status.missingClis,
    }),
  };
  const watch = new LabWatch({ status, feed, log });
  const want = (): (() => void) => {
    const stop = watch.want();
    stops.push(stop);
    return () => {
      stops.splice(stops.indexOf(stop), 1);
      stop();
    };
  };
  const told = (): unknown[] =>
    feed.recent.map(({ change }) =>
      change.event === 'lab' ? [change.data.change, change.data.lab] : change.event,
    );
  /** Waits until the labs were asked for once more, and what came of it is told. */
  const look = async (next: () => Promise<readonly KnownLab[]>): Promise<void> => {
    answers.splice(0, answers.length, next);
    const stop = want();
    await watch.ready();
    stop();
  };
  return { log, feed, watch, status, want, told, look };
}

test('labs appear, change and go', async () => {
  const { look, status, told } = await watched();
  await look(async () => [labOf('a', { up: 1 }, '/a'), labOf('b', {})]);
  await look(async () => [labOf('a', { up: 1 }, '/a'), labOf('b', {})]);
  await look(async () => [labOf('a', { up: 2 }, '/a')]);
  // A new lab of that name would be ready at once otherwise.
  expect(status.forgotten).toEqual(['b']);
  expect(told()).toEqual([
    ['appeared', { instance: 'a', cli: 'netlab', directory: '/a', status: { up: 1 }, ready: null }],
    ['appeared', { instance: 'b', cli: 'netlab', directory: null, status: {}, ready: null }],
    ['gone', { instance: 'b', cli: 'netlab', directory: null, status: {}, ready: null }],
    ['changed', { instance: 'a', cli: 'netlab', directory: '/a', status: { up: 2 }, ready: null }],
  ]);
});

test('labs of a lab CLI that does not answer are not gone, and changes of others are reported', async () => {
  const { log, look, status, told } = await watched();
  const ofOther: KnownLab = { ...labOf('b', {}), cli: 'containerlab' };
  await look(async () => [labOf('a', {}), ofOther]);
  status.missingClis = ['containerlab'];
  await look(async () => [labOf('a', { up: 1 })]);
  await look(async () => []);
  status.missingClis = [];
  await look(async () => [ofOther]);
  expect(told()).toMatchObject([
    ['appeared', { instance: 'a' }],
    ['appeared', { instance: 'b' }],
    ['changed', { instance: 'a' }],
    ['gone', { instance: 'a' }],
  ]);
  expect(log.entries).toMatchObject([{ level: 'warn', fields: { cause: 'no answer of containerlab' } }]);
});

test('a status over 16 KiB is not told', async () => {
  const { look, told } = await watched();
  const text = 'x'.repeat(16 * 1024 - '{"t":""}'.length);
  await look(async () => [labOf('a', { t: text }), labOf('b', { t: `${text}x` })]);
  expect(told()).toMatchObject([
    ['appeared', { instance: 'a', status: { t: text } }],
    ['appeared', { instance: 'b', status: null }],
  ]);
});

test('labs that an earlier service told of are not told again, or are gone', async () => {
  const { feed, look, told } = await watched();
  const lab = (instance: string) => ({ instance, cli: 'netlab', directory: null, status: {}, ready: null });
  for (const instance of ['a', 'b']) feed.state.labs.set(instance, lab(instance));
  await look(async () => [labOf('a', {})]);
  expect(told()).toEqual([['gone', lab('b')]]);
});

describe('while the lab CLI fails', () => {
  test('the labs are taken to be there, and that is said once', async () => {
    const { look, told, log, watch } = await watched();
    await look(async () => [labOf('a', {})]);
    const failing = async (): Promise<never> => Promise.reject(new Error('no answer'));
    await look(failing);
    await look(failing);
    expect(log.entries.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      { level: 'warn', cause: 'no answer' },
    ]);
    expect(watch.seenAt).toBeNull();
    expect(told()).toHaveLength(1);
    await look(async () => []);
    await look(failing);
    expect(log.entries).toHaveLength(2);
    expect(told()).toHaveLength(2);
  });
});

test('they are looked at again when something has changed, and not before', async () => {
  const { want, status, told } = await watched();
  const asked: string[] = [];
  status.told = async () => {
    asked.push(status.version);
    return { labs: [labOf('a', { version: status.version })], missingClis: [] };
  };
  want();
  await eventually('the lab to be told', () => told().length === 1);
  status.version = 'new';
  await eventually('the lab to be told again', () => told().length === 2);
  expect(asked).toEqual(['', 'new']);
});

test('a lab becomes ready, and after a restart of the service that is not told again', async () => {
  const { look, told, feed, status } = await watched();
  await look(async () => [labOf('a', { up: 1 })]);
  status.ready = false;
  await look(async () => [labOf('a', { up: 1 })]);
  status.ready = true;
  await look(async () => [labOf('a', { up: 1 })]);
  const changes = (): unknown[] => told().map((one) => (one as unknown[])[0]);
  expect(changes()).toEqual(['appeared', 'changed', 'ready']);
  // Nothing is known of it yet.
  status.ready = null;
  await look(async () => [labOf('a', { up: 1 })]);
  expect(changes()).toHaveLength(3);
  // A new start of the lab.
  await look(async () => [labOf('a', { up: 2 })]);
  status.ready = true;
  await look(async () => [labOf('a', { up: 2 })]);
  expect(changes().slice(3)).toEqual(['changed', 'ready']);
  expect(feed.state.labs.get('netlab a')?.ready).toBe(true);
});

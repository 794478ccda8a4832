import { expect, test } from '@jest/globals';
import type { LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import type { LabEntries } from '../../../../src/labs/drivers/status-driver.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { findLabIn, type RecordedLab } from '../../../../src/labs/status/lab-in-directory.ts';
import { LabPlaces } from '../../../../src/labs/status/lab-places.ts';

const one: LabEntries = new Map([['one', { dir: '/labs/one' }]]);
const two: LabEntries = new Map([['two', { dir: '/labs/two', by: 'netlab' }]]);

/** Of a lab CLI with a record, or without; the status tells what is given. */
function placesOf(
  recordedLabs: LabDriver['files']['recordedLabs'],
  status: Partial<ConstructorParameters<typeof LabPlaces>[0]['status']> = {},
  file = '/bin/speaks-its-language',
) {
  const { recordedLabs: _own, ...files } = netlab.files;
  const starterOf = (entry: { readonly by?: unknown }) =>
    typeof entry.by === 'string' ? entry.by : undefined;
  const driver: LabDriver = {
    ...netlab,
    files: { ...files, ...(recordedLabs && { recordedLabs }) },
    status: { ...netlab.status, starterOf },
  };
  let looks = 0;
  const told: ConstructorParameters<typeof LabPlaces>[0]['status'] = {
    entries: () => Promise.resolve(two),
    elsewhere: new Map(),
    lastEntries: two,
    isLastRecent: true,
    catchUp: async () => void (looks += 1),
    ...status,
  };
  const cli = () => ({ file, driver });
  return { places: new LabPlaces({ driver: () => driver, env: {}, cli, status: told }), looks: () => looks };
}

const unreadable = (): never => {
  throw new Error('the record cannot be read');
};

test('with a record, that is what counts, and nobody is asked', async () => {
  const { places, looks } = placesOf(() => one, { isLastRecent: false });
  await places.seeAll();
  expect([places.keepsNoRecord, looks()]).toEqual([false, 0]);
  expect([places.labIn('/labs/one'), places.labIn('/labs/two')]).toEqual(['one', undefined]);
  expect([places.recordedIn('/labs/one'), places.recordedIn('/labs')]).toEqual(['one', undefined]);
  expect(places.lastFound()).toEqual([{ id: 'one', directory: '/labs/one', starter: undefined }]);
});

test('without one, that is what the status told last, as long as nothing has changed', async () => {
  const { places, looks } = placesOf(undefined);
  await places.seeAll();
  expect([places.keepsNoRecord, looks()]).toEqual([true, 1]);
  expect([places.labIn('/labs/two'), places.recordedIn('/labs/two')]).toEqual(['two', 'two']);
  expect(places.lastFound()).toEqual([{ id: 'two', directory: '/labs/two', starter: 'netlab' }]);
  const old = placesOf(undefined, { isLastRecent: false }).places;
  expect(() => old.labIn('/labs/two')).toThrow(expect.objectContaining({ code: 'workspace-busy' }));
  expect(old.recorded()).toMatchObject([{ id: 'two' }]);
  const unasked = placesOf(undefined, { lastEntries: undefined }).places;
  expect(() => unasked.recorded()).toThrow('has not told');
  expect([unasked.recordedIn('/labs/two'), unasked.lastFound()]).toEqual([undefined, []]);
});

test('of a record that cannot be read, nothing is told', async () => {
  const { places } = placesOf(unreadable);
  expect(() => places.labIn('/labs')).toThrow(expect.objectContaining({ code: 'workspace-busy' }));
  expect([places.recordedIn('/labs/one'), places.lastFound()]).toEqual([undefined, []]);
  await expect(places.found()).rejects.toThrow('the record');
});

test('every lab is found by the record and by the status, which has the last word', async () => {
  const both = new Map([...one, ['two', { dir: '/labs/before' }] as const]);
  expect(await placesOf(() => both).places.found()).toEqual([
    { id: 'one', directory: '/labs/one', starter: undefined },
    { id: 'two', directory: '/labs/two', starter: 'netlab' },
  ]);
  const untold = { entries: () => Promise.resolve(new Map([['three', {}]])) };
  expect(await placesOf(undefined, untold).places.found()).toEqual([
    { id: 'three', directory: '', starter: undefined },
  ]);
});

test('of netlab itself, the record is enough, and no status is waited for', async () => {
  const asked: boolean[] = [];
  const entries = async (fresh: boolean): Promise<LabEntries> => {
    asked.push(fresh);
    return Promise.resolve(two);
  };
  expect(await placesOf(() => one, { entries }, '/opt/netlab/bin/netlab').places.found()).toEqual([
    { id: 'one', directory: '/labs/one', starter: undefined },
  ]);
  expect(asked).toEqual([]);
});

test('the lab in a directory is the first there, or below', () => {
  const lab = (id: string, directory: string): RecordedLab => ({ id, directory, startedAtMs: null });
  const all = () => [lab('1', '/labs/one'), lab('2', '/labs/two/deep')];
  const found = ['/labs/one', '/labs/two', '/labs', '/labs/o', '/labs/one/x'].map((place) =>
    findLabIn(place, all),
  );
  expect(found).toEqual(['1', '2', '1', undefined, undefined]);
  const cause = new Error('unreadable');
  const broken = (): never => {
    throw cause;
  };
  expect(() => findLabIn('/labs', broken)).toThrow(
    expect.objectContaining({ code: 'workspace-busy', cause, retryAfterSeconds: 10 }),
  );
});

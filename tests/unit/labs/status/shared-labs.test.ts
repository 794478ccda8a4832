/** A lab that containerlab tells of, and netlab may have on record. */
import { expect, test } from '@jest/globals';
import { beside } from '../../../../src/labs/status/shared-labs.ts';
import type { LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import type { OtherLabs } from '../../../../src/labs/status/shared-labs.ts';

const teller: LabDriver = { ...netlab, status: { ...netlab.status, starterOf: () => 'starter' } };
const entry = { dir: '/labs/one' };
const [there, nowhere] = [['/labs/other', '/labs/one'], ['/labs/other']];

/** Another lab CLI, with what it has on record each time that it is asked; undefined when that cannot be read. */
function other(name: string, ...records: readonly (readonly string[] | undefined)[]): OtherLabs {
  const left = [...records];
  const recorded = () => {
    const directories = left.length > 1 ? left.shift() : left[0];
    if (directories === undefined) throw new Error('it cannot be read');
    return directories.map((directory) => ({ id: directory, directory, startedAtMs: null }));
  };
  return { name, status: { stamp: `of ${name}` }, places: { recorded } };
}

const shownBy = (others: readonly OtherLabs[], driver = teller, lab: object = entry): string | undefined =>
  beside(
    () => driver,
    () => others,
  ).look()(lab as typeof entry);

test.each([
  ['that has it on record', [there], 'starter'],
  ['that had it when the run began', [there, nowhere], 'starter'],
  ['that has it by now', [nowhere, there], 'starter'],
  ['whose record cannot be read', [undefined], 'starter'],
  ['that has forgotten it', [nowhere], undefined],
] as const)('it is shown by the one %s', (_what, records, expected) => {
  expect(shownBy([other('first', there), other('starter', ...records)])).toBe(expected);
});

test('it is its own when the one that has started it is not in this service, or there is none', () => {
  expect(shownBy([other('first', there)])).toBeUndefined();
  const unstarted = { ...teller, status: { ...teller.status, starterOf: () => undefined } };
  expect(shownBy([other('starter', there)], unstarted)).toBeUndefined();
  expect(shownBy([other('starter', there)], netlab)).toBeUndefined();
  expect(shownBy([other('starter', there)], teller, {})).toBeUndefined();
});

test('what the others change counts, for one that tells of their labs', () => {
  const others = [other('first', there), other('second', there)];
  expect(
    beside(
      () => teller,
      () => others,
    ).version(),
  ).toBe('of first of second');
  expect(
    beside(
      () => netlab,
      () => others,
    ).version(),
  ).toBe('');
});

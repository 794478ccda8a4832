import { expect, test } from '@jest/globals';
import {
  isNarrowed,
  mayChange,
  mayGive,
  mayRead,
  type Asker,
  type Resource,
} from '../../../../src/access/model/ownership.ts';

const askers: Readonly<Record<string, Asker>> = {
  admin: { name: 'ann', role: 'admin', workdirs: ['/labs/nothing'] },
  operator: { name: 'olga', role: 'operator', workdirs: null },
  narrowed: { name: 'nick', role: 'operator', workdirs: ['/labs/nick', '/labs/both'] },
  viewer: { name: 'vera', role: 'viewer', workdirs: null },
  nobody: { name: null, role: 'operator', workdirs: [] },
};

const inside: Resource = { owner: 'zoe', workspaceOwner: null, directory: '/labs/nick/a' };
const outside: Resource = { ...inside, directory: '/labs/nicky' };
const unknown: Resource = { owner: null, workspaceOwner: null, directory: null };
const of = (owner: string): Resource => ({ ...outside, owner });
const inWorkspaceOf = (workspaceOwner: string): Resource => ({ ...outside, workspaceOwner });

test.each([
  // asker, resource, may read, may change when shared, when strict, may give away
  ['admin', outside, true, true, true, true],
  ['admin', unknown, true, true, true, true],
  ['operator', outside, true, true, false, false],
  ['operator', unknown, true, true, false, false],
  ['operator', of('olga'), true, true, true, true],
  ['operator', inWorkspaceOf('olga'), true, true, false, false],
  ['narrowed', inside, true, true, false, false],
  ['narrowed', { ...inside, directory: '/labs/both' }, true, true, false, false],
  ['narrowed', outside, false, false, false, false],
  ['narrowed', unknown, false, false, false, false],
  ['narrowed', of('nick'), true, true, true, true],
  ['narrowed', inWorkspaceOf('nick'), true, true, false, false],
  ['viewer', outside, true, false, false, false],
  ['viewer', of('vera'), true, false, false, false],
  ['nobody', unknown, false, false, false, false],
  ['nobody', inside, false, false, false, false],
] as const)('%s and %j', (who, resource, reads, changes, changesStrict, gives) => {
  const asker = askers[who] as Asker;
  expect(mayRead(asker, resource)).toBe(reads);
  expect(mayChange(asker, resource, 'shared')).toBe(changes);
  expect(mayChange(asker, resource, 'strict')).toBe(changesStrict);
  expect(mayGive(asker, resource)).toBe(gives);
});

test('workdirs narrow everybody but administrators', () => {
  const narrowed = Object.keys(askers).filter((who) => isNarrowed(askers[who] as Asker));
  expect(narrowed).toEqual(['narrowed', 'nobody']);
});

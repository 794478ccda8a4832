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

/** What each may do: r(ead), c(hange) where labs are shared, s: change under strict, g(ive away). */
test.each([
  { who: 'admin', resource: outside, may: 'rcsg' },
  { who: 'admin', resource: unknown, may: 'rcsg' },
  { who: 'operator', resource: outside, may: 'rc--' },
  { who: 'operator', resource: unknown, may: 'rc--' },
  { who: 'operator', resource: of('olga'), may: 'rcsg' },
  { who: 'operator', resource: inWorkspaceOf('olga'), may: 'rc--' },
  { who: 'narrowed', resource: inside, may: 'rc--' },
  { who: 'narrowed', resource: { ...inside, directory: '/labs/both' }, may: 'rc--' },
  { who: 'narrowed', resource: outside, may: '----' },
  { who: 'narrowed', resource: unknown, may: '----' },
  { who: 'narrowed', resource: of('nick'), may: 'rcsg' },
  { who: 'narrowed', resource: inWorkspaceOf('nick'), may: 'rc--' },
  { who: 'viewer', resource: outside, may: 'r---' },
  { who: 'viewer', resource: of('vera'), may: 'r---' },
  { who: 'nobody', resource: unknown, may: '----' },
  { who: 'nobody', resource: inside, may: '----' },
])('$who may $may with $resource', ({ who, resource, may }) => {
  const asker = askers[who] as Asker;
  const found = {
    r: mayRead(asker, resource),
    c: mayChange(asker, resource, 'shared'),
    s: mayChange(asker, resource, 'strict'),
    g: mayGive(asker, resource),
  };
  expect(
    Object.entries(found)
      .map(([letter, does]) => (does ? letter : '-'))
      .join(''),
  ).toBe(may);
});

test('workdirs narrow everybody but administrators', () => {
  const narrowed = Object.keys(askers).filter((who) => isNarrowed(askers[who] as Asker));
  expect(narrowed).toEqual(['narrowed', 'nobody']);
});

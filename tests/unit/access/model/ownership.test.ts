import { expect, test } from '@jest/globals';
import { Groups } from '../../../../src/access/model/groups.ts';
import {
  isNarrowed,
  mayChange,
  mayGive,
  mayRead,
  type Asker,
  type Resource,
} from '../../../../src/access/model/ownership.ts';

const groups = new Groups([
  { name: 'course', members: ['zoe', 'nick'], leaders: ['tom', 'vic'] },
  { name: 'other', members: ['mia'], leaders: [] },
]);
const asker = (name: string | null, role: Asker['role'], workdirs: Asker['workdirs']): Asker => ({
  name,
  role,
  workdirs,
  ...groups.of(name),
});

const askers: Readonly<Record<string, Asker>> = {
  admin: asker('ann', 'admin', ['/labs/nothing']),
  operator: asker('olga', 'operator', null),
  narrowed: asker('nick', 'operator', ['/labs/nick', '/labs/both']),
  viewer: asker('vera', 'viewer', null),
  nobody: asker(null, 'operator', []),
  teacher: asker('tom', 'operator', []),
  reader: asker('vic', 'viewer', []),
  member: asker('mia', 'operator', []),
};

const inside: Resource = { owner: 'zoe', workspaceOwner: null, directory: '/labs/nick/a', shares: [] };
const outside: Resource = { ...inside, directory: '/labs/nicky' };
const unknown: Resource = { owner: null, workspaceOwner: null, directory: null, shares: [] };
const of = (owner: string): Resource => ({ ...outside, owner });
const inWorkspaceOf = (workspaceOwner: string): Resource => ({ ...outside, workspaceOwner });
const shared = (...shares: Resource['shares']): Resource => ({ ...outside, shares });

/** What each may do: r(ead), c(hange) where labs are shared, s: change under strict, g(ive away). */
test.each([
  { who: 'admin', resource: outside, may: 'rcsg' },
  { who: 'admin', resource: unknown, may: 'rcsg' },
  { who: 'operator', resource: outside, may: 'rc--' },
  { who: 'operator', resource: unknown, may: 'rc--' },
  { who: 'operator', resource: of('olga'), may: 'rcsg' },
  { who: 'operator', resource: inWorkspaceOf('olga'), may: 'rcsg' },
  { who: 'narrowed', resource: inside, may: 'rc--' },
  { who: 'narrowed', resource: { ...inside, directory: '/labs/both' }, may: 'rc--' },
  { who: 'narrowed', resource: outside, may: '----' },
  { who: 'narrowed', resource: unknown, may: '----' },
  { who: 'narrowed', resource: of('nick'), may: 'rcsg' },
  { who: 'narrowed', resource: inWorkspaceOf('nick'), may: 'rcsg' },
  { who: 'narrowed', resource: { ...inWorkspaceOf('zoe'), owner: 'nick' }, may: 'rcs-' },
  { who: 'viewer', resource: outside, may: 'r---' },
  { who: 'viewer', resource: of('vera'), may: 'r---' },
  { who: 'nobody', resource: unknown, may: '----' },
  { who: 'nobody', resource: inside, may: '----' },
  // zoe is a member of the group that they lead, and olga is not.
  { who: 'teacher', resource: outside, may: 'rcs-' },
  { who: 'teacher', resource: inWorkspaceOf('zoe'), may: 'rcs-' },
  { who: 'teacher', resource: { ...inWorkspaceOf('nick'), owner: 'olga' }, may: 'rcs-' },
  { who: 'teacher', resource: of('olga'), may: '----' },
  { who: 'reader', resource: outside, may: 'r---' },
  // Members have nothing of one another.
  { who: 'narrowed', resource: of('zoe'), may: '----' },
  { who: 'member', resource: shared(), may: '----' },
  { who: 'member', resource: shared({ kind: 'user', name: 'mia', as: 'viewer' }), may: 'r---' },
  { who: 'member', resource: shared({ kind: 'user', name: 'mia', as: 'operator' }), may: 'rcs-' },
  { who: 'member', resource: shared({ kind: 'group', name: 'other', as: 'viewer' }), may: 'r---' },
  { who: 'member', resource: shared({ kind: 'group', name: 'other', as: 'operator' }), may: 'rcs-' },
  { who: 'member', resource: shared({ kind: 'group', name: 'course', as: 'operator' }), may: '----' },
  { who: 'member', resource: shared({ kind: 'user', name: 'other', as: 'operator' }), may: '----' },
  {
    who: 'member',
    resource: shared(
      { kind: 'user', name: 'mia', as: 'viewer' },
      { kind: 'group', name: 'other', as: 'operator' },
    ),
    may: 'rcs-',
  },
  {
    who: 'teacher',
    resource: { ...of('olga'), ...shared({ kind: 'group', name: 'course', as: 'viewer' }), owner: 'olga' },
    may: 'r---',
  },
  { who: 'operator', resource: shared({ kind: 'user', name: 'olga', as: 'operator' }), may: 'rcs-' },
  { who: 'viewer', resource: shared({ kind: 'user', name: 'vera', as: 'operator' }), may: 'r---' },
  { who: 'nobody', resource: shared({ kind: 'user', name: 'mia', as: 'operator' }), may: '----' },
])('$who may $may with $resource', ({ who, resource, may }) => {
  const user = askers[who] as Asker;
  const found = {
    r: mayRead(user, resource),
    c: mayChange(user, resource, 'shared'),
    s: mayChange(user, resource, 'strict'),
    g: mayGive(user, resource),
  };
  expect(
    Object.entries(found)
      .map(([letter, does]) => (does ? letter : '-'))
      .join(''),
  ).toBe(may);
});

test('workdirs narrow everybody but administrators', () => {
  const narrowed = Object.keys(askers).filter((who) => isNarrowed(askers[who] as Asker));
  expect(narrowed).toEqual(['narrowed', 'nobody', 'teacher', 'reader', 'member']);
});

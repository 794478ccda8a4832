import { expect, test } from '@jest/globals';
import { Quotas } from '../../../../src/access/model/quotas.ts';
import type { User } from '../../../../src/access/model/user.ts';

const user = (name: string, quotas: User['quotas']): User => ({
  name,
  role: 'operator',
  workdirs: null,
  password: null,
  tokens: [],
  ...(quotas && { quotas }),
});

const group = (name: string, quotas: object, members = ['sue']) => ({
  name,
  members,
  leaders: ['tom'],
  quotas,
});

test('the entry of the user decides, then the largest of the groups, then the role', () => {
  const quotas = new Quotas(
    { roles: { operator: { labs: 1, nodes: 1, jobs: 1, workspaceBytes: 1, leaseMs: 1 } } },
    [user('sue', { labs: 3, nodes: Infinity })],
    [
      group('a', { each: { labs: 9, jobs: 4, leaseMs: 7 } }),
      group('b', { each: { jobs: 5, leaseMs: Infinity } }),
    ],
  );
  expect(quotas.limitsOf('sue', 'operator')).toEqual({ labs: 3, jobs: 5, workspaceBytes: 1 });
  expect(quotas.limitsOf('sue', 'admin')).toEqual({ labs: 3, jobs: 5 });
  // A leader is no member.
  expect(quotas.limitsOf('tom', 'viewer')).toEqual({});
  expect(quotas.limitsOf('tom', 'operator')).toMatchObject({ labs: 1, leaseMs: 1 });
});

test('what a user gets counts for the user, for the groups that share a limit, and for the server', () => {
  const quotas = new Quotas(
    { server: { labs: 60 } },
    [],
    [group('a', { together: { labs: 9 } }, ['sue', 'sam']), group('b', { each: { labs: 1 } })],
  );
  const [own, ofGroup, ofServer, ...others] = quotas.of('sue', 'operator');
  expect(others).toEqual([]);
  const holders = ['sue', 'sam', 'tom', null, ''];
  expect(own).toMatchObject({ kind: 'user', name: 'sue', limits: { labs: 1 } });
  expect(holders.map(own.counts)).toEqual([true, false, false, false, false]);
  expect(ofGroup).toMatchObject({ kind: 'group', name: 'a', limits: { labs: 9 } });
  expect(holders.map((name) => ofGroup?.counts(name))).toEqual([true, true, false, false, false]);
  expect(ofServer).toMatchObject({ kind: 'server', name: null, limits: { labs: 60 } });
  expect(holders.map((name) => ofServer?.counts(name))).toEqual([true, true, true, true, true]);
  expect(quotas.of('tom', 'operator').map(({ kind }) => kind)).toEqual(['user', 'server']);
});

test.each([
  [new Quotas(), false],
  [new Quotas({ server: { labs: 1 }, roles: { viewer: { jobs: 1 } } }), false],
  [new Quotas({ server: { nodes: 1 } }), true],
  [new Quotas({ roles: { viewer: { nodes: 1 } } }), true],
  [new Quotas({}, [user('sue', { nodes: 0 })]), true],
  [new Quotas({}, [], [group('a', { each: { nodes: 1 } })]), true],
  [new Quotas({}, [], [group('a', { together: { nodes: 1 } })]), true],
])('quotas %# limit nodes: %j', (quotas, limitNodes) => {
  expect(quotas.limitNodes).toBe(limitNodes);
});

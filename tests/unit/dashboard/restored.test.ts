/** In the page: the number and the names of labs from a snapshot. */
import { describe, expect, test } from '@jest/globals';
import type { Quota, SnapshotNode } from '../../../src/client/api-types.ts';
import { copiesLeft } from '../../../web/dashboard/src/pages/snapshots/copies-left.ts';
import {
  proposedName,
  restoredNameProblem,
} from '../../../web/dashboard/src/pages/snapshots/restored-names.ts';

const node = (kept: SnapshotNode['kept']): SnapshotNode => ({ node: 'n', kept, size: null, reason: null });
const quota = (resource: Quota['resource'], used: number, limit: number | null): Quota => ({
  kind: 'user',
  name: 'sue',
  resource,
  used,
  limit,
});
const mixed = { cli: 'netlab', nodes: [node('configuration'), node('none')] };

describe('the labs that the quotas leave', () => {
  test.each([
    ['no quotas', [], Number.POSITIVE_INFINITY],
    ['no limit', [quota('labs', 7, null)], Number.POSITIVE_INFINITY],
    ['labs', [quota('labs', 1, 4), quota('nodes', 0, 100)], 3],
    ['nodes, two in each lab', [quota('labs', 1, 4), quota('nodes', 5, 8)], 1],
    ['jobs, two for each lab', [quota('jobs', 0, 5)], 2],
    ['a limit below the use', [quota('labs', 5, 4)], 0],
    ['another resource', [quota('workspaceBytes', 5, 4)], Number.POSITIVE_INFINITY],
  ])('%s', (_, quotas, left) => expect(copiesLeft(quotas, mixed)).toBe(left));

  test('another job configures only what has no configuration in the snapshot of netlab', () => {
    const jobs = [quota('jobs', 0, 5)];
    expect(copiesLeft(jobs, { ...mixed, cli: 'engine' })).toBe(5);
    expect(copiesLeft(jobs, { cli: 'netlab', nodes: [node('none')] })).toBe(5);
    expect(copiesLeft(jobs, { cli: 'netlab', nodes: [] })).toBe(5);
  });
});

describe('the name of the workspace', () => {
  const known = (...names: readonly string[]) => names.map((name) => ({ name, lab: null, job: null }));

  test.each([
    [[], 'kept'],
    [['other'], 'kept'],
    [['kept'], 'kept-2'],
    [['kept', 'kept-2', 'x'], 'kept-3'],
  ])('with the workspaces %j, %s is proposed', (names, proposed) =>
    expect(proposedName('kept', known(...names))).toBe(proposed),
  );

  test('a proposed name has room for its number', () =>
    expect(proposedName('k'.repeat(63), known('k'.repeat(63)))).toBe(`${'k'.repeat(58)}-2`));

  const one = { name: 'kept', copies: 1, replaces: false };
  test.each([
    ['it is free', one, known('other'), undefined],
    ['it is there', one, known('kept'), 'replace its files'],
    ['its files may go', { ...one, replaces: true }, known('kept'), undefined],
    ['a lab runs there', { ...one, replaces: true }, [{ name: 'kept', lab: '7', job: null }], 'lab 7 runs'],
    [
      'a job runs there',
      { ...one, replaces: true },
      [{ name: 'kept', lab: null, job: 'j' }],
      'a job is at work',
    ],
    ['a copy is there', { ...one, copies: 2, replaces: true }, known('kept-2'), 'kept-2 exists'],
    ['the name without a number is there', { ...one, copies: 2 }, known('kept'), undefined],
    ['it has no room for a number', { ...one, name: 'k'.repeat(62), copies: 2 }, [], 'at most 63'],
    ['it is missing', { ...one, name: '', copies: 2 }, [], 'missing'],
  ])('%s', (_, wanted, there, problem) => {
    const found = restoredNameProblem(wanted, there);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

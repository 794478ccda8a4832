/** Pages of jobs of several hosts, against one list of all of them. */
import { describe, expect, test } from '@jest/globals';
import type { ClusterService } from '../../../../src/cluster/model/cluster-service.ts';
import type { Host } from '../../../../src/cluster/model/host.ts';
import {
  mergeJobs,
  mergeLabs,
  mergeNamed,
  mergeSearch,
  mergeStatus,
} from '../../../../src/http/cluster/merges.ts';
import type { Answers } from '../../../../src/http/route.ts';
import { randomSource } from '../../../support/random-topology.ts';

const host = (name: string): Host => ({ id: name, name }) as Host;
const id = (ms: number): string => `job-${1_700_000_000_000 + ms}-abcdef`;

/** As a host answers: at most `limit`, and fewer when its records are long. */
function pageOf(ids: readonly string[], limit: number, cursor: string | undefined, most: number) {
  const after = ids
    .toSorted()
    .toReversed()
    .filter((one) => cursor === undefined || one < cursor);
  const jobs = after.slice(0, Math.min(limit, most)).map((one) => ({ id: one }));
  return { jobs, nextCursor: after.length > jobs.length ? (jobs.at(-1)?.id ?? null) : null };
}

function answersOf(pages: readonly object[], more: Partial<Answers> = {}): Answers {
  const [own = {}, ...others] = pages;
  const parts = others.map((page, at) => ({ host: host(`h${at}`), value: page as Answers['own'] }));
  return {
    own: own as Answers['own'],
    parts,
    missing: [],
    cluster: { name: 'own' } as ClusterService,
    ...more,
  };
}

describe('pages of jobs', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('have each job once, newest first (seed %d)', async (seed) => {
    const random = randomSource(seed);
    const hosts = Array.from({ length: 3 }, () =>
      Array.from({ length: Math.floor(random() * 40) }, () => id(Math.floor(random() * 100_000))),
    );
    const all = hosts.flat().toSorted().toReversed();
    const limit = 1 + Math.floor(random() * 9);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const pages = hosts.map((ids) => pageOf(ids, limit, cursor, 1 + Math.floor(random() * 9)));
      const page = await mergeJobs(answersOf(pages), { limit, ...(cursor !== undefined && { cursor }) });
      expect(page.jobs.length).toBeLessThanOrEqual(limit);
      expect(page.jobs.length > 0 || page.nextCursor === null).toBe(true);
      seen.push(...page.jobs.map((job) => job.id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
  });

  test('tell of jobs of a host that is away, and that it is', async () => {
    const row = { id: id(5), state: 'running', action: 'up', labels: { team: 'blue' } };
    const rows = async () => Promise.resolve([row, { ...row, id: id(4), labels: {} }]);
    const cluster = { name: 'own', rows } as unknown as ClusterService;
    const answers = answersOf([pageOf([id(9), id(1)], 10, undefined, 10)], {
      missing: [host('gone')],
      cluster,
    });
    const page = await mergeJobs(answers, { limit: 10, labels: ['team=blue'] });
    expect(page.jobs.map((job) => job.id)).toEqual([id(9), id(5), id(1)]);
    expect(page.jobs[1]).toMatchObject({ stale: true, host: 'gone' });
    expect(page).toMatchObject({ nextCursor: null, missingHosts: ['gone'] });
  });
});

test('lists are sorted by name, and what two hosts have is there once', () => {
  const answers = answersOf([{ all: [{ name: 'b' }] }, { all: [{ name: 'a' }, { name: 'b' }] }]);
  expect(mergeNamed(answers, 'all', 'name')).toEqual({ all: [{ name: 'a' }, { name: 'b' }] });
});

test('the status has labs of one name with their hosts, and the warning where there is none', () => {
  const none = { warning: 'No netlab-managed labs' };
  expect(mergeStatus(answersOf([none, none]))).toEqual(none);
  expect(mergeStatus(answersOf([{ default: 1, two: 2 }, none, { default: 3 }]))).toEqual({
    'default@own': 1,
    two: 2,
    'default@h1': 3,
  });
});

test('the labs of all hosts come with the lab CLIs that did not answer on them', () => {
  const pages = [
    { labs: [1], missingClis: ['netlab@own'] },
    { labs: [2] },
    { labs: [], missingClis: ['a@h1'] },
  ];
  expect(mergeLabs(answersOf([{ labs: [] }]))).toEqual({ labs: [] });
  expect(mergeLabs(answersOf(pages))).toMatchObject({ missingClis: ['netlab@own', 'a@h1'] });
});

test('the matches of all hosts are sorted, best first, and no more than asked for', () => {
  const found = (match: string, lab: string) => ({ match, lab });
  const answers = answersOf([
    {
      query: { kind: 'address' },
      matches: [found('has', 'a'), found('contains', 'a')],
      truncated: false,
      incomplete: [{ lab: 'c' }],
    },
    {
      matches: [found('has', 'b'), 7],
      truncated: false,
      incomplete: [{ lab: 'd' }, 7],
      missingClis: ['x@h1'],
    },
  ]);
  const all = [found('has', 'a'), found('has', 'b'), found('contains', 'a')];
  const rest = {
    query: { kind: 'address' },
    incomplete: [{ lab: 'c' }, { lab: 'd' }],
    missingClis: ['x@h1'],
  };
  expect(mergeSearch(answers, 3)).toEqual({ ...rest, matches: all, truncated: false });
  expect(mergeSearch(answers, 2)).toMatchObject({ matches: all.slice(0, 2), truncated: true });
  const cut = answersOf([
    { matches: [], truncated: false },
    { matches: [], truncated: true },
  ]);
  expect(mergeSearch(cut, 5)).toMatchObject({ truncated: true });
});

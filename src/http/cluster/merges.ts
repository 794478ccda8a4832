/** Merges the replies of all hosts into one; each route has a rule of its own. */
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import { viewOfRow } from '../../cluster/model/job-row.ts';
import { jobMatcher, type JobFilter, type PageRequest } from '../../jobs/model/job-filter.ts';
import { matchKinds } from '../../labs/search/find-in-lab.ts';
import type { JobView } from '../../jobs/model/job-view.ts';
import { jobIdPattern } from '../../jobs/model/job.ts';
import { isMapping } from '../../lib/mapping.ts';
import type { Answers } from '../route.ts';

type Json = Answers['own'];

interface Page {
  readonly jobs: readonly JobView[];
  readonly nextCursor: string | null;
}

/** Said only where something is missing. */
function missingHosts(missing: readonly Host[]): { readonly missingHosts?: readonly string[] } {
  return missing.length === 0 ? {} : { missingHosts: missing.map(({ name }) => name) };
}

function parsed({ own, parts }: Answers): readonly Json[] {
  return [own, ...parts.map(({ value }) => value)];
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isMapping) : [];
}

/** One after the other, as each host has them. */
export function mergeLists(answers: Answers, member: string): Json {
  const all = parsed(answers).flatMap((one) => listOf(one[member]));
  return { ...answers.own, [member]: all, ...missingHosts(answers.missing) };
}

/** The lab CLIs that did not answer on their hosts. */
function missingClis(answers: Answers): Json {
  const missing = parsed(answers).flatMap(({ missingClis: names }): unknown[] =>
    Array.isArray(names) ? names : [],
  );
  return missing.length > 0 ? { missingClis: missing } : {};
}

/** The labs of all hosts, and the lab CLIs that did not answer there. */
export function mergeLabs(answers: Answers): Json {
  return { ...mergeLists(answers, 'labs'), ...missingClis(answers) };
}

/** The matches in the labs of all hosts, best first. */
export function mergeSearch(answers: Answers, limit: number): Json {
  const all = parsed(answers).flatMap(({ matches }) => listOf(matches));
  const best = matchKinds.flatMap((kind) => all.filter(({ match }) => match === kind));
  return {
    ...mergeLists(answers, 'incomplete'),
    ...missingClis(answers),
    matches: best.slice(0, limit),
    truncated: best.length > limit || parsed(answers).some(({ truncated }) => truncated === true),
  };
}

/** As `mergeLists`, sorted; an entry that several hosts have is there once. */
export function mergeNamed(answers: Answers, member: string, key: string): Json {
  const merged = mergeLists(answers, member);
  const byName = new Map(listOf(merged[member]).map((entry) => [String(entry[key]), entry]));
  const names = [...byName.keys()].toSorted();
  return { ...merged, [member]: names.map((name) => byName.get(name)) };
}

/** By instance; where several hosts have one of the same name, `name@host`. */
export function mergeStatus({ own, parts, cluster }: Answers): Json {
  const documents = [
    { host: cluster.name, document: own },
    ...parts.map(({ host, value }) => ({ host: host.name, document: value })),
  ];
  // `warning` is what the lab CLI says where there is no lab.
  const entries = documents.flatMap(({ host, document }) =>
    Object.entries(document)
      .filter(([name]) => name !== 'warning')
      .map(([name, entry]) => ({ host, name, entry })),
  );
  if (entries.length === 0) return own;
  const counts = new Map<string, number>();
  for (const { name } of entries) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(
    entries.map(({ host, name, entry }) => [(counts.get(name) ?? 0) > 1 ? `${name}@${host}` : name, entry]),
  );
}

/** The jobs of a host that is away, as a page of it. */
async function rowsOf(host: Host, cluster: ClusterService, filter: JobFilter & PageRequest): Promise<Page> {
  const { limit, cursor } = filter;
  const matches = jobMatcher(filter);
  const rows = await cluster.rows(host, { cursor, limit: limit + 1 }).catch(() => []);
  const jobs = rows
    .slice(0, limit)
    .filter(matches)
    .map((row) => viewOfRow(row, host.name));
  return { jobs, nextCursor: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null };
}

/** The page of another host; undefined for what is none, or would lead round in a circle. */
function pageOf(value: Json, { cursor }: PageRequest): Page | undefined {
  const { jobs, nextCursor } = value;
  const isSound =
    Array.isArray(jobs) && jobs.every((job) => isMapping(job) && jobIdPattern.test(String(job['id'])));
  const isEnd = nextCursor === null;
  const leadsOn = typeof nextCursor === 'string' && (cursor === undefined || nextCursor < cursor);
  return isSound && (isEnd || leadsOn) ? (value as unknown as Page) : undefined;
}

/** A page of the jobs of all hosts, newest first. */
export async function mergeJobs(answers: Answers, filter: JobFilter & PageRequest): Promise<Page & Json> {
  const others = answers.parts.map(({ host, value }) => ({ host, page: pageOf(value, filter) }));
  const missing = [...answers.missing, ...others.flatMap(({ host, page }) => (page ? [] : [host]))];
  const pages = [
    answers.own as unknown as Page,
    ...others.flatMap(({ page }) => page ?? []),
    ...(await Promise.all(missing.map(async (host) => rowsOf(host, answers.cluster, filter)))),
  ];
  // A page may have ended early: what is older than its last job may be missing, and comes with the next page.
  const ends = pages.flatMap(({ nextCursor }) => (nextCursor === null ? [] : [nextCursor]));
  const end = ends.toSorted().at(-1) ?? '';
  const all = pages.flatMap(({ jobs }) => jobs).filter(({ id }) => id >= end);
  const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit);
  const hasMore = ends.length > 0 || newest.length < all.length;
  const last = newest.length < all.length ? (newest.at(-1)?.id ?? end) : end;
  return { jobs: newest, nextCursor: hasMore ? last : null, ...missingHosts(missing) };
}

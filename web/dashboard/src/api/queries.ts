/** The queries of the pages, by key: `['labs']`, `['lab', id, …]`, `['jobs', …]`, `['job', id, …]`. live.ts refreshes them by key. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type {
  ArtifactList,
  HostList,
  Job,
  Lab,
  LabList,
  LabTopology,
  OpenApiDocument,
  Readiness,
  ServiceInfo,
  Session,
  SessionList,
  StoppedLabList,
  TokenList,
  UserList,
} from '../../../../src/client/api-types.ts';
import type { JobFilter } from '../../../../src/client/filters.ts';
import { addressOf, artifactPath, client, fileFrom, getFrom, labPath } from './service.ts';

/** The current user; an error with status 401 when not logged in. */
export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => getFrom<Session>('/session', { signal }),
  });

/** Whether the user may change things. The page does not offer actions that the user may not do. */
export function useMayOperate(): boolean {
  return useSession().data?.permissions.includes('operate') ?? false;
}

/**
 * Whether the user may do something with a lab, by a name of `may` in its description. Hosts of a cluster that are older than this
 * page do not tell: they refuse then.
 */
export function useMay({ may }: Partial<Pick<Lab, 'may'>>): (name: string) => boolean {
  const mayOperate = useMayOperate();
  return (name) => mayOperate && (may === undefined || may.includes(name));
}

/** Whether the user may change shared things such as hosts. */
export function useMayAdminister(): boolean {
  return useSession().data?.permissions.includes('administer') ?? false;
}

/** No event tells that a lab CLI answers again. */
const missingEveryMs = 5_000;

const labList = queryOptions({
  queryKey: ['labs'],
  queryFn: async ({ signal }) => getFrom<LabList>('/labs', { signal }),
  refetchInterval: ({ state }) => (state.data?.missingClis === undefined ? false : missingEveryMs),
});

export const useLabs = () => useQuery({ ...labList, select: ({ labs }) => labs });

/** The lab CLIs that did not answer, whose labs may be missing. */
export const useMissingClis = (): readonly string[] =>
  useQuery({ ...labList, select: ({ missingClis }) => missingClis }).data ?? [];

/** The labs that have ended and can be started again. */
export const useStoppedLabs = () =>
  useQuery({
    queryKey: ['labs', 'stopped'],
    queryFn: async ({ signal }) => (await getFrom<StoppedLabList>('/stopped-labs', { signal })).stoppedLabs,
  });

export const useLab = (id: string, isWanted = true) =>
  useQuery({
    queryKey: ['lab', id],
    queryFn: async ({ signal }) => getFrom<Lab>(labPath(id), { signal }),
    enabled: isWanted,
  });

/** The computed topology. It exists as soon as the lab CLI has written its snapshot, before the nodes are up. */
export const useLabTopology = (id: string, isWanted = true) =>
  useQuery({
    queryKey: ['lab', id, 'topology'],
    queryFn: async ({ signal }) => getFrom<LabTopology>(labPath(id, 'topology'), { signal }),
    enabled: isWanted,
  });

/** The newest jobs of a lab (also of a stopped one) or of a workspace. */
export const useNewestJobs = (filter: JobFilter) =>
  useQuery({
    queryKey: ['jobs', 'newest-of', filter],
    queryFn: async () => (await client.listJobs({ ...filter, limit: 10 })).jobs,
  });

/** The unfinished jobs of a lab that a job to stop it waits for. */
export const useBlockingJobs = ({ id, workdir }: Pick<Lab, 'id' | 'workdir'>) =>
  useQuery({
    queryKey: ['jobs', 'blocking', id, workdir],
    queryFn: async () => {
      const place = workdir === null ? { instance: id } : { workdir };
      const { jobs } = await client.listJobs({ ...place, state: ['queued', 'running', 'canceling'] });
      return jobs.filter(({ action }) => action !== 'status');
    },
  });

export const useJob = (id: string, isWanted = true) =>
  useQuery({
    queryKey: ['job', id],
    queryFn: async (): Promise<Job> => client.getJob(id),
    enabled: isWanted,
  });

/** The topology that came with a job. */
export const jobTopology = async (id: string, signal?: AbortSignal): Promise<string> =>
  (await fileFrom(`/jobs/${encodeURIComponent(id)}/topology`, { signal })).text();

export const useJobTopology = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['job-topology', id],
    queryFn: async ({ signal }) => jobTopology(id, signal),
    enabled: isWanted,
  });

/** No event reports a changed file: the list is fetched again when a page or its window is opened. */
const natural = new Intl.Collator('en', { numeric: true });

/** By name: `lab-2` before `lab-10`. */
export const useWorkspaces = (isWanted = true) =>
  useQuery({
    queryKey: ['workspaces'],
    queryFn: async () => (await client.workspaces.list()).toSorted((a, b) => natural.compare(a.name, b.name)),
    enabled: isWanted,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });

/** The artifacts of a job; fetched again when the job changes. */
export const useArtifacts = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['job', id, 'artifacts'],
    queryFn: async ({ signal }) => getFrom<ArtifactList>(artifactPath(id), { signal }),
    enabled: isWanted,
  });

/** The text of an artifact of a finished job, which does not change any more. */
export const useArtifactText = (id: string, path: string) =>
  useQuery({
    queryKey: ['job-artifact', id, path],
    queryFn: async ({ signal }) => (await fileFrom(artifactPath(id, path), { signal })).text(),
  });

/** Whether the service is ready. Status 503 has the same body. */
export const useReadiness = () =>
  useQuery({
    queryKey: ['readiness'],
    queryFn: async ({ signal }): Promise<Readiness> => {
      const response = await fetch(addressOf('/readyz'), { signal });
      if (response.ok || response.status === 503) {
        const answer = (await response.json()) as Partial<Readiness>;
        if (answer.status && answer.checks) return { status: answer.status, checks: answer.checks };
      }
      throw new Error(`the service does not report its readiness (HTTP status ${response.status})`);
    },
  });

/** Name, version and lab CLIs of the service. */
export const useService = () =>
  useQuery({
    queryKey: ['service'],
    queryFn: async ({ signal }) =>
      getFrom<ServiceInfo>('/', { signal, headers: { Accept: 'application/json' } }),
  });

/** Whether the service has other hosts. */
export const useIsCluster = (): boolean => typeof useService().data?.host === 'string';

/** No event reports a change of users, tokens, sessions, quotas and snapshots: they are fetched again when a page or its window is opened. */
const fresh = { refetchOnMount: 'always', refetchOnWindowFocus: 'always' } as const;

/** The users of the server, for administrators. */
export const useUsers = () =>
  useQuery({
    queryKey: ['users'],
    queryFn: async ({ signal }) => getFrom<UserList>('/users', { signal }),
    ...fresh,
  });

/** How much the user has and may have; without a name, nothing is asked. */
export const useQuotas = (user: string | null) =>
  useQuery({
    queryKey: ['quotas', user],
    queryFn: async () => client.quotas(),
    enabled: user !== null,
    ...fresh,
  });

/** Newest first, of all hosts. */
export const useSnapshots = () =>
  useQuery({ queryKey: ['snapshots'], queryFn: async () => client.snapshots.list(), ...fresh });

const pathOfUser = (path: string, user: string): string => `${path}?user=${encodeURIComponent(user)}`;

export const useTokens = (user: string) =>
  useQuery({
    queryKey: ['tokens', user],
    queryFn: async ({ signal }) => getFrom<TokenList>(pathOfUser('/tokens', user), { signal }),
    ...fresh,
  });

export const useSessions = (user: string) =>
  useQuery({
    queryKey: ['sessions', user],
    queryFn: async ({ signal }) =>
      (await getFrom<SessionList>(pathOfUser('/sessions', user), { signal })).sessions,
    ...fresh,
  });

/** No event reports the load of hosts. */
const hostsEveryMs = 3_000;

/** The lab servers of the cluster. */
export const useHosts = () =>
  useQuery({
    queryKey: ['hosts'],
    queryFn: async ({ signal }) => (await getFrom<HostList>('/hosts', { signal })).hosts,
    refetchInterval: hostsEveryMs,
  });

/** The OpenAPI document of the service: forms and filters are made from it. */
export const useDescription = () =>
  useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => getFrom<OpenApiDocument>('/openapi.json', { signal }),
  });

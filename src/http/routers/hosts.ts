import * as z from 'zod';
import { hostStates, type SeenHost } from '../../cluster/model/host.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { checked } from '../request/checked.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const hostSchema = z
  .object({
    id: z.string().describe('A UUID that it keeps in its data directory.'),
    name: z.string().describe('The name of the host: `LAB_API_HOST_NAME`, or the host name of the machine.'),
    url: z.string().describe('The address at which the other hosts reach it.'),
    state: z
      .enum(hostStates)
      .describe('`draining`: it takes no new labs. `away`: it has not reported for 15 seconds.'),
    isThis: z.boolean().describe('Whether this host answers the request.'),
    version: z.string().describe('The version of its service.'),
    labels: z.array(z.string()).describe('The labels that `hostLabels` of a job may require.'),
    clis: z.array(z.string()).describe('Its installed lab CLIs, for `cli` of a request.'),
    capacity: z.int().describe('How many jobs it runs at the same time.'),
    running: z.int().describe('How many jobs it runs now.'),
    queued: z.int().describe('How many jobs wait there.'),
    labs: z.int().describe('How many labs its lab CLI has on record.'),
    memory: z.number().describe('The memory of the machine, in bytes.'),
    freeMemory: z.number().describe('The memory that is free for new labs, in bytes.'),
    startedAt: z.iso
      .datetime()
      .describe('When its service was started (RFC 3339, UTC, by the clock of Redis).'),
    seenAt: z.iso.datetime().describe('The time of this report (RFC 3339, UTC, by the clock of Redis).'),
    seenSecondsAgo: z.int().describe('The age of this report, in seconds.'),
    stale: z
      .boolean()
      .describe('Whether Redis does not answer, so that the report is outdated and the host may be away.'),
    unreachable: z
      .string()
      .nullable()
      .describe(
        'Why the answering host cannot reach it at its `url` (for the answering host itself: why others cannot); null if it is reachable. Either its `LAB_API_HOST_URL` is wrong, or the network has no route to it.',
      ),
  })
  .meta({ id: 'Host', description: 'A lab server of the cluster.' });

const hostsSchema = z
  .object({ hosts: z.array(hostSchema).describe('Sorted by name.') })
  .meta({ id: 'HostList', description: 'The lab servers of the cluster.' });

const iso = (ms: number): string => new Date(ms).toISOString();

function viewOf({ host, agoMs, isStale, unreachable }: SeenHost): z.output<typeof hostSchema> {
  const { id, name, url, state, isThis, version, capacity, running, queued } = host;
  const shown = { id, name, url, state, isThis, version, capacity, running, queued };
  return {
    ...shown,
    labels: [...host.labels],
    clis: [...host.clis],
    labs: host.labs.length,
    memory: host.memoryBytes,
    freeMemory: host.freeMemoryBytes,
    startedAt: iso(host.startedAtMs),
    seenAt: iso(host.seenAtMs),
    seenSecondsAgo: Math.round(agoMs / 1000),
    stale: isStale,
    unreachable,
  };
}

type Cluster = NonNullable<HttpContext['cluster']>;

function clusterOf({ cluster }: HttpContext): Cluster {
  if (cluster) return cluster;
  throw new AppError('host-not-found', 'this service works alone: it is in no cluster (LAB_API_REDIS_URL)');
}

/** @throws AppError `host-not-found`. */
function viewIn(cluster: Cluster, named: string): z.output<typeof hostSchema> {
  const { id } = cluster.host(named);
  const seen = cluster.seen.find(({ host }) => host.id === id);
  if (seen) return viewOf(seen);
  throw new AppError('host-not-found', `there is no host "${named}"`);
}

const hostParams = z.object({ id: z.string().describe('The name or the `id` of the host.') });

export const listHosts = defineRoute({
  method: 'get',
  path: '/hosts',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'listHosts',
  summary: 'The lab servers of the cluster',
  description:
    'The state that the answering host received last, about a second ago. 404 on a service outside a cluster.',
  params: noParams,
  query: noQuery,
  replies: { 200: jsonReply('The hosts.', hostsSchema) },
  errors: ['host-not-found'],
  handler: ({ context }) => {
    const hosts = clusterOf(context).seen.map(viewOf);
    return { kind: 'json', status: 200, value: { hosts } };
  },
});

export const getHost = defineRoute({
  method: 'get',
  path: '/hosts/:id',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getHost',
  summary: 'One lab server of the cluster',
  description: 'As in `GET /hosts`.',
  params: hostParams,
  query: noQuery,
  replies: { 200: jsonReply('The host.', hostSchema) },
  errors: ['host-not-found'],
  handler: ({ params, context }) => ({
    kind: 'json',
    status: 200,
    value: viewIn(clusterOf(context), params.id),
  }),
});

const drainSchema = z
  .object({
    drain: z
      .boolean({ error: 'must be true or false' })
      .default(true)
      .describe('`false` resumes the placement of labs. Default: true.'),
  })
  .meta({ id: 'DrainRequest', description: 'Whether to stop the placement of new labs.' });

export const drainHost = defineRoute({
  method: 'post',
  path: '/hosts/:id/drain',
  permission: 'administer',
  about: 'host',
  tag: 'service',
  operationId: 'drainHost',
  summary: 'Stops or resumes the placement of new labs on a host',
  description:
    'Labs and jobs on the host continue, and it still accepts jobs for them (`down`, `exec`, an `up` in its directories). The setting survives restarts.',
  params: hostParams,
  query: noQuery,
  body: {
    schema: drainSchema,
    isOptional: true,
    parse: (body) => checked(drainSchema, body ?? {}),
  },
  replies: { 200: jsonReply('The host.', hostSchema) },
  errors: ['invalid-json', 'host-not-found', 'payload-too-large'],
  handler: async ({ body, context }) => {
    const cluster = clusterOf(context);
    const { id } = await cluster.drain(body.drain);
    return { kind: 'json', status: 200, value: viewIn(cluster, id) };
  },
});

export const forgetHost = defineRoute({
  method: 'delete',
  path: '/hosts/:id',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'forgetHost',
  summary: 'Forgets a host that will not come back',
  description:
    'Its directories and workspaces are free for other hosts, and its jobs are listed no more. Refused (409) while it answers. Should it come back after all, it joins with all that it has.',
  params: hostParams,
  query: noQuery,
  replies: { 204: { description: 'It is forgotten.', content: {} } },
  errors: ['host-not-found', 'conflict', 'cluster-unavailable'],
  handler: async ({ params, context }) => {
    const cluster = clusterOf(context);
    await cluster.forget(cluster.host(params.id));
    return { kind: 'empty' };
  },
});

import type { Request } from 'express';
import * as z from 'zod';
import { labRuntimes } from '../../labs/drivers/runtimes-driver.ts';
import { labStates, nodeStates } from '../../labs/drivers/status-driver.ts';
import type { ListedLab } from '../../labs/status/lab-list.ts';
import { directoryNamed } from '../../labs/plan/working-directory.ts';
import { anybody } from '../../access/model/principal.ts';
import { roleMay } from '../../access/model/role.ts';
import type { HttpContext } from '../context.ts';
import { labIdOf } from '../cluster/lab-ids.ts';
import { mergeLabs } from '../cluster/merges.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { strongETag } from '../reply/etag.ts';
import { jsonText } from '../reply/json.ts';
import { listParameter, once } from '../request/query.ts';
import { wantsFresh } from '../request/wants-fresh.ts';
import {
  defineRoute,
  hostQuery,
  neededFor,
  noParams,
  noQuery,
  notModified,
  type Reply,
  type ReplySpec,
  type Route,
} from '../route.ts';

const labStateMeta = {
  id: 'LabState',
  description:
    'How far a lab is. `missing`: it was started, and none of its nodes is there (the machine was rebooted, say). `starting`, `stopping`: in progress or interrupted. `other`: the lab CLI says something else; `GET /status` has its words.',
};
const nodeStateMeta = {
  id: 'NodeState',
  description:
    'Whether a node runs. A node whose container was started again without its links is `down`. `unknown`: the lab CLI does not look after it, or Docker does not answer.',
};

const labNodeSchema = z
  .object({
    name: z.string().describe('As the topology calls it.'),
    device: z.string().nullable().describe('Its device type, such as `frr`, or null.'),
    provider: z.string().nullable().describe('The provider of the node, such as `clab` or `netns`, or null.'),
    image: z.string().nullable().describe('The image of its container or machine, or null.'),
    address: z.string().nullable().describe('The address by which it is managed, or null.'),
    state: z.enum(nodeStates).meta(nodeStateMeta),
    since: z.iso
      .datetime()
      .nullable()
      .describe(
        'The approximate time at which it came up (RFC 3339, UTC), rounded by the lab CLI. Null if it is not up, or if the time is unknown.',
      ),
  })
  .meta({ id: 'LabNode', description: 'A node of a lab that was started.' });

const labSchema = z
  .object({
    id: z
      .string()
      .describe(
        'The lab instance, as `GET /status` calls it and as jobs name it; in a cluster with its host, `default@lab2`.',
      ),
    cli: z.string().describe('The lab CLI that has it, as `GET /` calls it.'),
    host: z.string().nullable().describe('The lab server that it is on; null on a service that works alone.'),
    name: z
      .string()
      .nullable()
      .describe(
        'The name that the lab CLI uses, or null. netlab uses `ml-7` for a lab with multilab id 7, regardless of the name in its topology.',
      ),
    state: z.enum(labStates).meta(labStateMeta),
    workdir: z
      .string()
      .nullable()
      .describe('The directory that it lives in; null when the lab CLI does not tell.'),
    workspace: z.string().nullable().describe('The workspace that it lives in; null when that is none.'),
    nodes: z
      .array(labNodeSchema)
      .describe('Its nodes; none as long as the lab CLI tells none, such as while the lab starts.'),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why the nodes are unknown, or which of them are down or have lost their links: a sentence for a person. Null when there is nothing to say.',
      ),
    provider: z.string().nullable().describe('The provider of its nodes; the first of several.'),
    runtime: z
      .enum(labRuntimes)
      .nullable()
      .describe(
        'Where its containers run: containers of Docker, or namespaces of the machine without Docker. Null when its nodes are no containers, and as long as they are not there.',
      ),
    startedAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When it was started (RFC 3339, UTC); null if it was not started, or if the time is unknown.',
      ),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When its lease ends (RFC 3339, UTC); null when it has none.'),
    owner: z
      .string()
      .nullable()
      .describe(
        'The user whose job started it; null if unknown, such as for a lab that was started from a shell.',
      ),
    jobs: z.array(z.string()).describe('The ids of its last jobs, newest first; at most ten.'),
    may: z
      .array(z.string())
      .describe(
        'The ways to change it or to enter its nodes that the user of the request has: each an `action` of `POST /jobs` that its lab CLI has, such as `restart`, or an `operationId` of a route about a lab, such as `changeLab`. Empty for users who only read it. As long as a job of another user runs there, jobs may be refused all the same.',
      ),
  })
  .meta({ id: 'Lab', description: 'A lab on this server, in the same words whatever lab CLI runs it.' });

const labListSchema = z
  .object({
    labs: z.array(labSchema).describe('Sorted by lab CLI, and within each as it lists them.'),
    missingClis: z
      .array(z.string())
      .optional()
      .describe(
        'Of several lab CLIs, and only where there are any: those that did not answer, in a cluster as `netlab@lab2`; `?cli=` tells why. Their labs are as they were at the last answer, or missing.',
      ),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'LabList', description: 'The labs on this server.' });

const keptHeaders = ['Age', 'Cache-Control', 'ETag'] as const;
const errors = ['lab-cli-failed', 'lab-cli-missing', 'lab-cli-timeout', 'shutting-down'] as const;

function keptReplies(description: string, schema: z.ZodType): Readonly<Record<number, ReplySpec>> {
  return {
    200: { description, content: { 'application/json': schema }, headers: keptHeaders },
    304: { ...notModified, headers: keptHeaders },
  };
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

interface Asked {
  readonly req: Request;
  readonly routes: readonly Route[];
  readonly context: HttpContext;
}

/** By the rules that refuse requests: the role that a route needs, and the permission that it needs for the lab. */
function mayOf({ req, routes, context }: Asked): (lab: ListedLab) => string[] {
  const { role } = req.principal ?? anybody;
  const open = routes.filter(({ permission }) => roleMay(role, permission));
  const changes = open.filter((route) => route.about === 'lab' && neededFor(route) !== 'read');
  const startsJobs = open.some(({ operationId }) => operationId === 'submitJob');
  const permissionFor = context.labs.permissions();
  return (lab) => {
    const { allows, startable } = permissionFor(lab);
    const allowed = changes.filter((route) => allows(neededFor(route)));
    return [...(startsJobs ? startable : []), ...allowed.map(({ operationId }) => operationId)];
  };
}

/** The labs as clients see them. */
function viewsOf(labs: readonly ListedLab[], asked: Asked): z.output<typeof labSchema>[] {
  const may = mayOf(asked);
  return labs.map((lab) => ({ ...viewOf(lab, asked.context), may: may(lab) }));
}

function viewOf(lab: ListedLab, context: HttpContext): Omit<z.output<typeof labSchema>, 'may'> {
  const { id, cli, name, state, workdir, problem, provider, runtime, startedAtMs } = lab;
  const { workspace, expiresAt, owner, jobs: jobIds } = context.labs.factsOf(lab);
  return {
    id: labIdOf(id, context.cluster),
    cli,
    host: context.cluster?.name ?? null,
    name,
    state,
    workdir,
    workspace,
    nodes: lab.nodes.map(({ sinceMs, ...node }) => ({ ...node, since: isoOf(sinceMs) })),
    problem,
    provider,
    runtime,
    startedAt: isoOf(startedAtMs),
    expiresAt,
    owner,
    jobs: [...jobIds],
  };
}

/** The value as JSON, with its age. */
function keptReply(value: unknown, ageMs: number): Reply {
  const text = jsonText(value);
  const headers = {
    Age: String(Math.floor(ageMs / 1000)),
    // After a logout, the next user of the browser must not see what it has kept.
    'Cache-Control': 'private, no-cache',
    ETag: strongETag(text),
  };
  return { kind: 'json', status: 200, value, text, headers };
}

export const listLabs = defineRoute({
  method: 'get',
  path: '/labs',
  permission: 'read',
  about: 'everyHost',
  tag: 'labs',
  operationId: 'listLabs',
  isByCli: true,
  summary: 'The labs on this server, with their nodes',
  description:
    'All labs that the lab CLI lists, also those started from a shell, in the same format for each lab CLI; `GET /status` has the format of the lab CLI. A lab must match all filters. One run of the lab CLI serves all clients; the nodes of an unchanged lab are read less often, unless the request has `Cache-Control: no-cache`.',
  params: noParams,
  query: z.object({
    ...hostQuery.shape,
    state: listParameter(
      z.enum(labStates, { error: `must be one of ${labStates.join(', ')}` }).meta(labStateMeta),
    ).describe('Labs in one of these states; repeated, or as a comma list.'),
    workdir: once
      .optional()
      .describe('The lab in this directory; may be relative or lead through links, as in a request.'),
  }),
  headers: ['If-None-Match', 'Cache-Control'],
  replies: keptReplies('The labs.', labListSchema),
  errors,
  handler: async ({ query, req, routes, context }) => {
    const { value, ageMs, missingClis } = await context.labs.list({ fresh: wantsFresh(req) });
    const directory =
      query.workdir === undefined ? undefined : await directoryNamed(query.workdir, process.cwd());
    const wanted = value.filter(
      ({ state, workdir }) =>
        (query.state.length === 0 || query.state.includes(state)) &&
        (directory === undefined || workdir === directory),
    );
    const missing = missingClis.map((name) => labIdOf(name, context.cluster));
    const labs = viewsOf(wanted, { req, routes, context });
    return keptReply({ labs, ...(missing.length > 0 && { missingClis: missing }) }, ageMs);
  },
  merge: (answers) => ({ value: mergeLabs(answers) }),
});

/** The parameter of every route about one lab. */
export const labParams = z.object({ id: z.string().describe('The lab, as `GET /labs` calls it.') });

export const getLab = defineRoute({
  method: 'get',
  path: '/labs/:id',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLab',
  summary: 'One lab with its nodes',
  description:
    'As in `GET /labs`, from a status that is no older than that of `GET /status`: `Age` says how old it is, and `Cache-Control: no-cache` waits for a fresh one.',
  params: labParams,
  query: noQuery,
  headers: ['If-None-Match', 'Cache-Control'],
  replies: keptReplies('The lab.', labSchema),
  errors: [...errors, 'instance-not-found'],
  handler: async ({ lab, req, routes, context }) => {
    const { value, ageMs } = await lab.listed({ fresh: wantsFresh(req) });
    const [view] = viewsOf([value], { req, routes, context });
    return keptReply(view, ageMs);
  },
});

import type { Request } from 'express';
import * as z from 'zod';
import { labStates } from '../../labs/drivers/status-driver.ts';
import type { ListedLab } from '../../labs/status/lab-list.ts';
import { directoryNamed } from '../../labs/plan/working-directory.ts';
import { anybody } from '../../access/model/principal.ts';
import { roleMay } from '../../access/model/role.ts';
import type { HttpContext } from '../context.ts';
import { labIdOf } from '../cluster/lab-ids.ts';
import { mergeLabs } from '../cluster/merges.ts';
import { labListSchema, labSchema, labStateMeta } from '../reply/lab-schemas.ts';
import { streamSignal } from '../reply/stream.ts';
import { strongETag } from '../reply/etag.ts';
import { jsonText } from '../reply/json.ts';
import { listParameter, once, secondsParameter } from '../request/query.ts';
import { wantsFresh } from '../request/wants-fresh.ts';
import {
  defineRoute,
  hostQuery,
  neededFor,
  noParams,
  notModified,
  type Reply,
  type ReplySpec,
  type Route,
} from '../route.ts';

/** How long a reply waits for the first check of the nodes. */
const firstCheckMs = 5_000;
const usualWaitSeconds = 60;
const longestWaitSeconds = 600;

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
  const { workspace, source, expiresAt, owner, shares, faults, jobs: jobIds } = context.labs.factsOf(lab);
  const { ready, nodes: readiness } = context.labs.readyOf(lab);
  return {
    id: labIdOf(id, context.cluster),
    cli,
    host: context.cluster?.name ?? null,
    name,
    state,
    workdir,
    workspace,
    source,
    nodes: lab.nodes.map(({ sinceMs, container: _container, ...node }, index) => ({
      ...node,
      since: isoOf(sinceMs),
      ready: readiness[index]?.ready ?? null,
      readyReason: readiness[index]?.reason ?? null,
    })),
    ready,
    problem,
    provider,
    runtime,
    startedAt: isoOf(startedAtMs),
    expiresAt,
    owner,
    shares: [...shares],
    faults: [...faults],
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
    'As in `GET /labs`. The status is as new as in `GET /status`: `Age` has its age in seconds, and `Cache-Control: no-cache` waits for a fresh one. `wait=ready` waits until its nodes are ready.',
  params: labParams,
  query: z.object({
    wait: z
      .enum(['ready'], { error: 'must be "ready"' })
      .optional()
      .describe('Waits until no node is late, or the time is up; `ready` of the reply tells which.'),
    timeout: secondsParameter(longestWaitSeconds)
      .default(usualWaitSeconds)
      .describe('With `wait`: how long to wait, in seconds.'),
  }),
  headers: ['If-None-Match', 'Cache-Control'],
  replies: keptReplies('The lab.', labSchema),
  errors: [...errors, 'instance-not-found'],
  handler: async ({ lab, query, req, res, routes, context }) => {
    if (query.wait !== undefined)
      await lab.settled(query.timeout * 1_000, streamSignal(res, context.shutdown));
    const { value, ageMs } = await lab.listed({ fresh: wantsFresh(req) });
    if (value.state === 'started') await lab.checked(value, firstCheckMs);
    const [view] = viewsOf([value], { req, routes, context });
    return keptReply(view, ageMs);
  },
});

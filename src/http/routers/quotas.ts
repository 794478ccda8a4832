import * as z from 'zod';
import { countedResources } from '../../access/model/quotas.ts';
import { userNameMax } from '../../access/model/groups.ts';
import { once } from '../request/query.ts';
import { defineRoute, jsonReply, noParams } from '../route.ts';

const number = z.number().min(0);

const quotaSchema = z
  .object({
    kind: z
      .enum(['user', 'group', 'server'])
      .describe(
        '`user`: a limit of the user alone; `group`: of the members of a group together; `server`: of all users together, and of labs without a known owner.',
      ),
    name: z.string().nullable().describe('The user or the group; null for the server.'),
    resource: z
      .enum(countedResources)
      .describe(
        '`labs`: those that run, start or stop, or are left of a start that failed. `nodes`: the nodes of these labs. `jobs`: those that wait or run. `workspaceBytes`: the bytes in the files of workspaces.',
      ),
    used: number.describe('How many there are, or bytes.'),
    limit: number.nullable().describe('How many there may be, or bytes; null: there is no limit.'),
  })
  .meta({ id: 'Quota', description: 'How much there is of a resource, and how much there may be.' });

const quotasSchema = z
  .object({
    user: z.string().nullable().describe('The user; null on a server without users.'),
    quotas: z
      .array(quotaSchema)
      .describe(
        'First those of the user, for each resource; then the limits that the user shares with others. None on a server without users.',
      ),
    maxLeaseSeconds: number
      .nullable()
      .describe('The longest lease of a lab of the user, in seconds; null: there is no limit.'),
  })
  .meta({ id: 'Quotas', description: 'How much a user has, and may have.' });

export const getQuotas = defineRoute({
  method: 'get',
  path: '/quotas',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'getQuotas',
  summary: 'How much a user has, and may have',
  description:
    'The limits stand in `quotas` of the users file (docs/access.md). In a cluster, the things on all hosts count together.',
  params: noParams,
  query: z.object({
    user: once
      .max(userNameMax, `must have at most ${userNameMax} characters`)
      .optional()
      .describe(
        'Another user: for administrators, and for the leaders of a group of the user. Absent: the user of the request.',
      ),
  }),
  replies: { 200: jsonReply('How much the user has, and may have.', quotasSchema) },
  errors: ['forbidden', 'lab-cli-failed', 'cluster-unavailable'],
  handler: async ({ req, query, context }) => {
    const { quotas, maxLeaseMs } = await context.quotasOf(query.user);
    return {
      kind: 'json',
      status: 200,
      value: {
        user: query.user ?? req.principal?.name ?? null,
        quotas: [...quotas],
        maxLeaseSeconds: maxLeaseMs === null ? null : maxLeaseMs / 1_000,
      },
    };
  },
});

import * as z from 'zod';
import type { StoppedLab } from '../../restricted/stopped-labs.ts';
import { roleMay } from '../../access/model/role.ts';
import { anybody } from '../../access/model/principal.ts';
import { mergeLists } from '../cluster/merges.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const stoppedLabSchema = z
  .object({
    workdir: z.string().describe('The directory that it lived in.'),
    workspace: z
      .string()
      .nullable()
      .describe('The workspace that this is, or is in; null for any other directory.'),
    host: z
      .string()
      .nullable()
      .describe('The lab server that it was on; null on a service that works alone.'),
    cli: z.string().nullable().describe('The lab CLI that had it, as `GET /` calls it; null if unknown.'),
    instance: z
      .string()
      .nullable()
      .describe('The lab instance that it was; null if unknown. Another lab may have that name by now.'),
    owner: z.string().nullable().describe('The user who started it; null without authentication.'),
    startJob: z
      .string()
      .describe(
        'The id of the last `up` that succeeded there: `POST /jobs/{id}/retry` starts the lab again, in a new workspace if it had the workspace `auto`.',
      ),
    startedAt: z.iso.datetime().nullable().describe('When that job was started (RFC 3339, UTC).'),
    stoppedAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When a job stopped it (RFC 3339, UTC); null if it ended otherwise, such as with the machine.',
      ),
    mayStart: z.boolean().describe('Whether the user of the request may start it again.'),
  })
  .meta({ id: 'StoppedLab', description: 'A lab that has ended and can be started again.' });

const stoppedLabsSchema = z
  .object({
    stoppedLabs: z
      .array(stoppedLabSchema)
      .describe('Those that were started or stopped last come first; at most 200 of each host.'),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'StoppedLabList', description: 'The labs that have ended and can be started again.' });

function viewOf({ start, stoppedAt, mayStart }: StoppedLab): z.output<typeof stoppedLabSchema> {
  const { id, workdir, workspace, host, cli, instance, requestedBy, startedAt } = start;
  return {
    workdir,
    workspace,
    host,
    cli,
    instance,
    owner: requestedBy,
    startJob: id,
    startedAt,
    stoppedAt,
    mayStart,
  };
}

export const listStoppedLabs = defineRoute({
  method: 'get',
  path: '/stopped-labs',
  permission: 'read',
  about: 'everyHost',
  tag: 'labs',
  operationId: 'listStoppedLabs',
  summary: 'The labs that have ended and can be started again',
  description:
    'A lab is listed as long as the job that started it is on record, and its directory has its topology. Labs that are up, and those that a job starts or stops just now, are not listed.',
  params: noParams,
  query: z.object(hostQuery.shape),
  replies: { 200: jsonReply('The labs.', stoppedLabsSchema) },
  errors: ['lab-cli-failed', 'lab-cli-missing', 'lab-cli-timeout', 'shutting-down'],
  handler: async ({ req, context }) => {
    const mayStartJobs = roleMay((req.principal ?? anybody).role, 'operate');
    const labs = (await context.labs.stopped()).map(viewOf);
    const stopped = labs.map((lab) => ({ ...lab, mayStart: lab.mayStart && mayStartJobs }));
    return { kind: 'json', status: 200, value: { stoppedLabs: stopped } };
  },
  merge: (answers) => ({ value: mergeLists(answers, 'stoppedLabs') }),
});

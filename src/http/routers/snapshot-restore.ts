/** Labs from a snapshot: one, or many copies at once. */
import * as z from 'zod';
import { jobRequestSchema } from '../../jobs/model/job-request-schema.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { invalidRequest } from '../../lib/app-error.ts';
import { isMapping } from '../../lib/mapping.ts';
import { streamSignal } from '../reply/stream.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, hostQuery, jsonReply } from '../route.ts';
import { submissionErrors } from './accepted-job.ts';
import { snapshotParams } from './snapshots.ts';
import { uploadErrors } from './workspaces.ts';

const maxCopies = 200;

const words =
  'must have small letters, digits and . _ - only, beginning with a letter or a digit, and not be "auto"';
const nameOf = (most: number) =>
  z.string().regex(new RegExp(String.raw`^(?!auto$)[a-z0-9][a-z0-9._-]{0,${most - 1}}$`), words);

const { ttlSeconds, waitReadySeconds, multilabId } = jobRequestSchema.shape as Record<string, z.ZodType>;
const endShape = {
  ttlSeconds: ttlSeconds as typeof jobRequestSchema.shape.ttlSeconds,
  waitReadySeconds: waitReadySeconds as typeof jobRequestSchema.shape.waitReadySeconds,
};

const oneSchema = z.strictObject({
  workspace: nameOf(63).describe('The workspace to make, and to start the lab in.'),
  replace: z
    .boolean()
    .optional()
    .describe(
      'Whether a workspace of that name that is there loses all its files. Default: 409 `workspace-busy`.',
    ),
  multilabId: (multilabId as z.ZodType<number | 'auto' | undefined>).describe(
    'The multilab id of the lab; `auto` takes a free one. Default: as the lab was started that the snapshot was made of.',
  ),
  ...endShape,
});

const copiesSchema = z.strictObject({
  workspace: nameOf(59).describe(
    'The beginning of the names: `class` makes the workspaces `class-1`, `class-2` and so on.',
  ),
  copies: z
    .int()
    .min(1)
    .max(maxCopies)
    .describe(
      'How many labs to start, each in a workspace of its own that must be new, with a free multilab id.',
    ),
  ...endShape,
});

const requestSchema = z.union([copiesSchema, oneSchema]).meta({
  id: 'RestoreRequest',
  description: 'Where a snapshot is to be started: once, or as several copies.',
});

const ofOneLab = ['replace', 'multilabId'];

/** Of two shapes, the errors of neither would say which field is wrong. @throws AppError `invalid-request`. */
function wantedOf(body: unknown): z.output<typeof requestSchema> {
  if (!isMapping(body) || !('copies' in body)) return checked(oneSchema, body);
  const issues = ofOneLab
    .filter((field) => field in body)
    .map((field) => ({
      path: [field],
      message: `"copies" makes new workspaces, with free multilab ids: leave out "${field}" or "copies"`,
    }));
  if (issues.length > 0) throw invalidRequest(issues);
  return checked(copiesSchema, body);
}

const resultSchema = z
  .object({
    labs: z
      .array(
        z
          .object({
            workspace: z.string().describe('The workspace of the lab.'),
            jobs: z
              .array(jobViewSchema)
              .describe(
                'The job that starts the lab, and for labs of netlab, where nodes have no configuration in the snapshot, another one that configures these.',
              ),
          })
          .meta({ id: 'RestoredLab', description: 'A lab that is started from a snapshot.' }),
      )
      .describe('In the order of the copies.'),
    warnings: z.array(z.string()).describe('The parts of the lab that do not come back, in sentences.'),
  })
  .meta({ id: 'RestoreResult', description: 'The labs that are started from a snapshot.' });

export const restoreSnapshot = defineRoute({
  method: 'post',
  path: '/snapshots/:name/restore',
  permission: 'operate',
  about: 'snapshot',
  tag: 'snapshots',
  operationId: 'restoreSnapshot',
  summary: 'Starts a lab from a snapshot, or many copies of it',
  description:
    'Makes workspaces with the files of the snapshot, and queues the jobs that start the labs: all of them, or none, and then the workspaces are as they were. netlab gives the nodes the configurations of the snapshot; other lab CLIs start them as the topology says, and `warnings` says so. 409 `workspace-busy` while a lab or a job is in the workspace: take the lab down first. 409 `conflict` when another host of the cluster has a workspace of that name, and for `replace` while a lab with the wanted id runs elsewhere. 422 `not-supported` when this server lacks the lab CLI of the snapshot, and for copies with a lab CLI that takes no multilab ids.',
  params: snapshotParams,
  query: hostQuery,
  body: { schema: requestSchema, parse: wantedOf },
  replies: { 202: jsonReply('The jobs, which are queued.', resultSchema) },
  errors: [
    ...new Set([
      'snapshot-not-found',
      'workspace-busy',
      'archive-refused',
      ...uploadErrors,
      ...submissionErrors.filter((code) => code !== 'idempotency-key-reused'),
    ] as const),
  ],
  handler: async ({ snapshot, body, req, res, context: { cluster, shutdown } }) => ({
    kind: 'json',
    status: 202,
    value: await snapshot.restore(body, userOf(req), {
      onThisHost: async (names, make) => (cluster ? cluster.makeWorkspaces(names, make) : make()),
      signal: streamSignal(res, shutdown),
    }),
  }),
});

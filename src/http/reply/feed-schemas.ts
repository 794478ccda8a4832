/** The data of the events of `GET /events`, for whoever reads of the API. */
import * as z from 'zod';
import { eventJobSchema, eventLabSchema, goneJobSchema } from '../../events/model/event.ts';

/** Of a job that was removed, only a part is still known. */
const jobSchema = eventJobSchema
  .partial()
  .required({ id: true, action: true, state: true, createdAt: true, finishedAt: true })
  .meta({
    id: 'EventJob',
    description: `A job without what is long; with \`removed\`, it has ${Object.keys(goneJobSchema.shape)
      .map((name) => `\`${name}\``)
      .join(', ')} alone.`,
  });

const host = z.string().optional().describe('Of a cluster: the host that it happened on.');

const at = z.iso.datetime().describe('When it happened (RFC 3339, UTC).');

export const feedEvents = {
  reset: z
    .object({
      reason: z
        .enum(['other-feed', 'too-old', 'unknown-id'])
        .describe(
          '`other-feed`: the id is of another data directory, or of a journal that was lost. `too-old`: what came after it is kept no more. `unknown-id`: no event has it, or it is no id at all.',
        ),
    })
    .meta({ id: 'ResetEvent', description: 'The id of the client leads nowhere: a snapshot follows.' }),
  snapshot: z.object({}).meta({
    id: 'SnapshotEvent',
    description: 'Forget what you know: `job` and `lab` events tell how things are, up to `ready`.',
  }),
  ready: z
    .object({
      labsSeenAt: z.iso
        .datetime()
        .nullable()
        .describe(
          'When the labs were seen (RFC 3339, UTC); null when the lab CLI does not tell, and when labs are not asked for.',
        ),
    })
    .meta({ id: 'ReadyEvent', description: 'The snapshot is whole: changes follow.' }),
  job: z
    .object({
      change: z
        .enum(['current', 'created', 'state', 'progress', 'removed'])
        .describe(
          'What happened; `current` stands in a snapshot, and comes of a host of a cluster that joins later.',
        ),
      host,
      at: at.optional(),
      message: z
        .string()
        .optional()
        .describe('With `progress`: the last line of the log that tells a person something.'),
      job: jobSchema,
    })
    .meta({ id: 'JobEvent', description: 'Something happened to a job.' }),
  lab: z
    .object({
      change: z
        .enum(['current', 'appeared', 'changed', 'gone', 'expiring', 'expired', 'expiry-failed'])
        .describe(
          'What happened, whoever did it; `current` stands in a snapshot. `expiring` (15 and 5 minutes before), `expired` (it is being taken down) and `expiry-failed` (it could not be taken down) tell of its lease.',
        ),
      host,
      at: at.optional(),
      expiresAt: z.iso
        .datetime()
        .optional()
        .describe('When the lease is over (RFC 3339, UTC). With the last three.'),
      jobId: z
        .string()
        .nullable()
        .optional()
        .describe('The `down` that takes the lab away; null when none could be queued.'),
      why: z.string().optional().describe('With `expiry-failed`: what is wrong, in a sentence.'),
      nextTryAt: z.iso
        .datetime()
        .optional()
        .describe('With `expiry-failed`: when it is tried again (RFC 3339, UTC).'),
      lab: eventLabSchema,
    })
    .meta({ id: 'LabEvent', description: 'Something happened to a lab.' }),
  service: z
    .object({
      change: z.enum(['started', 'stopping']).describe('What the service does.'),
      host,
      at,
      version: z.string().describe('Of the service.'),
    })
    .meta({ id: 'ServiceEvent', description: 'The service was started, or is about to stop.' }),
};

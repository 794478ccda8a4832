/** The data of the events of `GET /events`, with descriptions for the API document. */
import * as z from 'zod';
import { eventJobSchema, eventLabSchema, goneJobSchema } from '../../events/model/event.ts';
import { faultSchema } from '../../labs/model/fault.ts';

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

const host = z.string().optional().describe('In a cluster: the host of the event.');

const at = z.iso.datetime().describe('The time of the event (RFC 3339, UTC).');

export const feedEvents = {
  reset: z
    .object({
      reason: z
        .enum(['other-feed', 'too-old', 'unknown-id'])
        .describe(
          '`other-feed`: the id belongs to another data directory, or to a lost journal. `too-old`: the events after it were removed. `unknown-id`: no event has this id, or it is invalid.',
        ),
    })
    .meta({
      id: 'ResetEvent',
      description: 'The service cannot continue after the id of the client: a snapshot follows.',
    }),
  snapshot: z.object({}).meta({
    id: 'SnapshotEvent',
    description:
      'Discard the known state: the `job` and `lab` events up to `ready` describe the current one.',
  }),
  ready: z
    .object({
      labsSeenAt: z.iso
        .datetime()
        .nullable()
        .describe(
          'When the lab CLI listed the labs (RFC 3339, UTC); null if it could not, or if the filter excludes labs.',
        ),
    })
    .meta({ id: 'ReadyEvent', description: 'The snapshot is complete: changes follow.' }),
  job: z
    .object({
      change: z
        .enum(['current', 'created', 'state', 'progress', 'removed'])
        .describe('The change. `current` is used in a snapshot, and when a host joins the cluster later.'),
      host,
      at: at.optional(),
      message: z.string().optional().describe('With `progress`: the last informative line of the log.'),
      job: jobSchema,
    })
    .meta({ id: 'JobEvent', description: 'Something happened to a job.' }),
  lab: z
    .object({
      change: z
        .enum([
          'current',
          'appeared',
          'changed',
          'ready',
          'gone',
          'expiring',
          'expired',
          'expiry-failed',
          'fault-set',
          'fault-healed',
        ])
        .describe(
          'The change, made by this service or outside of it. `current` is used in a snapshot. `ready`: all nodes have become ready. `expiring` (15 and 5 minutes before the end), `expired` (the service takes the lab down) and `expiry-failed` (it could not) are about the lease. `fault-set` and `fault-healed`: a link or a node is broken on purpose, or works again.',
        ),
      host,
      at: at.optional(),
      expiresAt: z.iso
        .datetime()
        .optional()
        .describe('When the lease ends (RFC 3339, UTC). With the three changes of a lease.'),
      jobId: z
        .string()
        .nullable()
        .optional()
        .describe('The `down` job that removes the lab; null if none could be queued.'),
      why: z
        .string()
        .optional()
        .describe('With `expiry-failed` and `fault-healed`: the cause, as a sentence.'),
      fault: faultSchema.optional().describe('With the two changes of a fault.'),
      nextTryAt: z.iso
        .datetime()
        .optional()
        .describe('With `expiry-failed`: the time of the next attempt (RFC 3339, UTC).'),
      lab: eventLabSchema,
    })
    .meta({ id: 'LabEvent', description: 'Something happened to a lab.' }),
  service: z
    .object({
      change: z.enum(['started', 'stopping']).describe('The change of the service.'),
      host,
      at,
      version: z.string().describe('Of the service.'),
    })
    .meta({ id: 'ServiceEvent', description: 'The service was started, or is about to stop.' }),
};

/** The messages that hosts send one another through Redis. */
import * as z from 'zod';
import { roles } from '../../access/model/role.ts';

/** The user, as the host that got their request knows them. Null on a server without logins. */
export const askerSchema = z
  .object({
    name: z.string(),
    role: z.enum(roles),
    workdirs: z.array(z.string()).nullable(),
  })
  .nullable();
export type Asker = Readonly<z.infer<typeof askerSchema>>;

/** The fields that a message of any version has. */
export const envelopeSchema = z.object({
  /** Names the message; a host that gets it twice acts on it once. */
  nonce: z.string(),
  from: z.uuid(),
  to: z.uuid(),
});

const common = { ...envelopeSchema.shape, asker: askerSchema };

export const messageSchema = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('submit'),
    /** Of `POST /jobs`, as it came. */
    body: z.unknown(),
    /** The directory or workspace; null where a workspace is made for it, or it makes nothing. */
    place: z
      .object({ kind: z.enum(['directory', 'workspace']), name: z.string() })
      .nullable()
      .default(null),
    /** Of the request. */
    claim: z.object({ key: z.string(), fingerprint: z.string() }).nullable(),
    /** Whether the host refuses the job if it would have to wait there: the sender tries others. */
    ifRoom: z.boolean().default(false),
    /** The sender stops waiting for the answer then, and the host starts nothing any more. By the clock of Redis, in ms since 1970. */
    endsAtMs: z.number(),
  }),
  /** For a host that is away: it ends the job as soon as it is back. */
  z.object({ ...common, kind: z.literal('cancel'), job: z.string(), force: z.boolean() }),
]);
export type Message = Readonly<z.infer<typeof messageSchema>>;
export type Submission = Extract<Message, { kind: 'submit' }>;

const problemSchema = z.object({
  code: z.string(),
  message: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
  extra: z.record(z.string(), z.unknown()),
  retryAfterSeconds: z.number().nullable(),
});

export const answerSchema = z.object({
  nonce: z.string(),
  outcome: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('accepted'),
      job: z.record(z.string(), z.unknown()),
      isReplayed: z.boolean(),
    }),
    z.object({ kind: z.literal('refused'), problem: problemSchema }),
    z.object({ kind: z.literal('done') }),
  ]),
});
export type Answer = Readonly<z.infer<typeof answerSchema>>;

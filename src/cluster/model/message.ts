/** What hosts hand one another through Redis. */
import * as z from 'zod';
import { roles } from '../../access/model/role.ts';

/** Who asks, as the host that he came to knows him. Null on a server where nobody logs in. */
export const askerSchema = z
  .object({
    name: z.string(),
    role: z.enum(roles),
    workdirs: z.array(z.string()).nullable(),
  })
  .nullable();
export type Asker = Readonly<z.infer<typeof askerSchema>>;

/** What a message of any version has. */
export const envelopeSchema = z.object({
  /** Names the message; whoever gets it twice does once what it says. */
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
    /** What it is to be in; null where a workspace is made for it, or it makes nothing. */
    place: z
      .object({ kind: z.enum(['directory', 'workspace']), name: z.string() })
      .nullable()
      .default(null),
    /** Of the request. */
    claim: z.object({ key: z.string(), fingerprint: z.string() }).nullable(),
    /** Whoever waits for the answer waits no longer: nothing is started any more. By the clock of Redis, in ms since 1970. */
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

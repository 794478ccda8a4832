import * as z from 'zod';
import { maxTtlSeconds } from '../../jobs/model/job-request-schema.ts';
import { invalidField } from '../../lib/app-error.ts';
import { misspelt } from '../../lib/text/did-you-mean.ts';
import type { WantedEnd } from '../../leases/lease-service.ts';
import { checked } from '../request/checked.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';

const moment = 'must be a time such as 2026-01-15T18:00:00Z, or null';

const changeShape = {
  expiresAt: z.iso
    .datetime({ offset: true, error: moment })
    .nullable()
    .optional()
    .describe('The moment at which the lab is taken down (RFC 3339); null for never.'),
  ttlSeconds: z
    .number('must be a number over 0, or null')
    .positive('must be a number over 0')
    .max(maxTtlSeconds, `must not be over ${maxTtlSeconds}`)
    .nullable()
    .optional()
    .describe('The same as seconds from now.'),
};

const changeSchema = z.object(changeShape).meta({
  id: 'LabChange',
  description: 'When the lab is to be taken down: one of the two.',
  if: { required: ['expiresAt'] },
  else: { required: ['ttlSeconds'] },
  not: { required: ['expiresAt', 'ttlSeconds'] },
});

const leaseSchema = z
  .object({
    id: z.string().describe('The id of the lab.'),
    workdir: z.string().describe('The directory of the lab.'),
    jobId: z.string().describe('The `up` job that started the lab.'),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When the service takes the lab down (RFC 3339, UTC); null if it does not expire.'),
  })
  .meta({ id: 'Lease', description: 'When a lab expires.' });

/** @throws AppError `invalid-request`. */
function wantedEnd(body: unknown): WantedEnd {
  const { expiresAt, ttlSeconds } = checked(changeSchema, body);
  const names = Object.keys(changeShape);
  for (const name of Object.keys(body as object)) {
    const meant = names.includes(name) ? undefined : misspelt(name, names);
    if (meant !== undefined) throw invalidField(name, `unknown field; did you mean "${meant}"?`);
  }
  if ((expiresAt === undefined) === (ttlSeconds === undefined))
    throw invalidField('body', 'give either expiresAt or ttlSeconds');
  if (expiresAt === null || ttlSeconds === null) return { kind: 'never' };
  return expiresAt === undefined
    ? { kind: 'ttl', ttlMs: Math.ceil((ttlSeconds ?? 0) * 1000) }
    : { kind: 'moment', at: expiresAt };
}

/** The error codes of a change of a lab. */
export const labChangeErrors = [
  'invalid-json',
  'instance-not-found',
  'conflict',
  'payload-too-large',
  'storage-fault',
  'lab-cli-failed',
  'lab-cli-missing',
  'lab-cli-timeout',
  'shutting-down',
] as const;

export const changeLab = defineRoute({
  method: 'patch',
  path: '/labs/:id',
  permission: 'operate',
  about: 'lab',
  tag: 'labs',
  operationId: 'changeLab',
  summary: 'Gives a lab more time, less, or no end',
  description:
    'When the time is over, the service takes the lab down. Only labs that this service has started can be given an end; a `down` that waits for its turn because the time was over is canceled.',
  params: z.object({ id: z.string().describe('The lab instance, as `GET /status` calls it.') }),
  query: noQuery,
  body: { schema: changeSchema, parse: wantedEnd },
  replies: { 200: jsonReply('How long it may live now.', leaseSchema) },
  errors: labChangeErrors,
  handler: async ({ lab, body }) => ({
    kind: 'json',
    status: 200,
    value: await lab.changeLease(body),
  }),
});

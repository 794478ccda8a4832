import * as z from 'zod';
import type { ReadinessCheck } from '../../restricted/machine.ts';
import { defineRoute, ignoredQuery, jsonReply, noParams, notModifiedOfAny, type Route } from '../route.ts';

const livenessSchema = z
  .object({ status: z.literal('ok').describe('Always `ok`.') })
  .meta({ id: 'Liveness', description: 'The service answers.' });

/** Touches neither disk nor lab CLI. It may be exempt from authentication (LAB_API_PUBLIC_HEALTHZ). */
export const getLiveness = defineRoute({
  method: 'get',
  path: '/healthz',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getLiveness',
  summary: 'Whether the service answers',
  description:
    'For probes of liveness: touches neither disk nor lab CLI. With `LAB_API_PUBLIC_HEALTHZ` it needs no login.',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: jsonReply('It does.', livenessSchema), 304: notModifiedOfAny },
  handler: () => ({ kind: 'json', status: 200, value: { status: 'ok' } }),
});

const checkSchema = z
  .object({
    name: z
      .string()
      .describe(
        'The name of the check: `jobs-directory`, `free-disk`, `job-records`, `job-starts`, `lab-cli`, `audit-file`.',
      ),
    ok: z.boolean().describe('Whether it is as it should be.'),
    detail: z.string().describe('A sentence for a person.'),
  })
  .meta({ id: 'ReadinessCheck', description: 'One thing that the service needs for its work.' });

const readinessSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']).describe('`ok` when every check passed.'),
    checks: z
      .array(checkSchema)
      .describe('Every check; none without a login, and for an address that is locked out.'),
  })
  .meta({ id: 'Readiness', description: 'Whether the service can do its work now.' });

function readinessOf(checks: readonly ReadinessCheck[]) {
  const isReady = checks.every((check) => check.ok);
  const status = isReady ? 200 : 503;
  return { kind: 'json', status, value: { status: isReady ? 'ok' : 'unavailable', checks } } as const;
}

export const getReadiness = defineRoute({
  method: 'get',
  path: '/readyz',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getReadiness',
  summary: 'Whether the service can do its work now',
  description:
    'For probes of readiness: whether there are a writable jobs directory, free disk, and lab CLIs that can start labs; and if not, what is missing. For containerlab, Docker has to answer; for netlab, one provider has to be installed and work (`clab`: with Docker); for the engine, its programs have to be on PATH. No program is run for that. With `LAB_API_PUBLIC_READYZ` it needs no login; without one, `checks` is empty. A wrong login is refused all the same.',
  params: noParams,
  query: ignoredQuery,
  replies: {
    200: jsonReply('Every check passed.', readinessSchema),
    503: jsonReply('A check failed.', readinessSchema),
  },
  handler: async ({ context }) => readinessOf(await context.readiness()),
});

/** For those who may not know more: the checks name directories of this machine. */
export const getBareReadiness: Route = {
  ...getReadiness,
  handler: async ({ context }) => {
    const { status, value } = readinessOf(await context.readiness());
    return { kind: 'json', status, value: { ...value, checks: [] } };
  },
};

import { z } from 'zod';
import type { ReadinessCheck } from '../context.ts';
import { defineRoute, ignoredQuery, jsonReply, noParams, type Route } from '../route.ts';

/** Touches neither disk nor lab CLI. It may be exempt from authentication (LAB_API_PUBLIC_HEALTHZ). */
export const getLiveness = defineRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getLiveness',
  summary: 'Whether the service answers',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: jsonReply('It does', z.object({ status: z.literal('ok') })) },
  handler: () => ({ kind: 'json', status: 200, value: { status: 'ok' } }),
});

const readinessSchema = z.object({
  status: z.enum(['ok', 'unavailable']),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

function readinessOf(checks: readonly ReadinessCheck[]) {
  const isReady = checks.every((check) => check.ok);
  const status = isReady ? 200 : 503;
  return { kind: 'json', status, value: { status: isReady ? 'ok' : 'unavailable', checks } } as const;
}

export const getReadiness = defineRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the service can do its work now, and if not, which part cannot',
  params: noParams,
  query: ignoredQuery,
  replies: {
    200: jsonReply('Every check passed', readinessSchema),
    503: jsonReply('A check failed', readinessSchema),
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

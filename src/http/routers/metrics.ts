import { defineRoute, ignoredQuery, noParams } from '../route.ts';

/** Starts no run of the lab CLI that anybody waits for; a scraper must never hang on a lab that does. */
export const getMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  summary: 'What the service counts and measures, for Prometheus',
  params: noParams,
  query: ignoredQuery,
  replies: {
    200: {
      description: 'The text format of Prometheus, version 0.0.4',
      content: { 'text/plain': 'bytes' },
    },
  },
  handler: async ({ context }) => {
    const { contentType, text } = await context.metrics();
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
    return { kind: 'bytes', bytes: Buffer.from(text), headers };
  },
});

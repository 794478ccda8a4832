import { defineRoute, ignoredQuery, noParams } from '../route.ts';

/** Starts no run of the lab CLI that anybody waits for; a scraper must never hang on a lab that does. */
export const getMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getMetrics',
  summary: 'What the service counts and measures, for Prometheus',
  description:
    'Jobs, queue, labs, requests and the process itself, in the text format of Prometheus. A scrape waits for no run of the lab CLI.',
  params: noParams,
  query: ignoredQuery,
  replies: {
    200: {
      description: 'Metrics, in the text format of Prometheus, version 0.0.4.',
      content: { 'text/plain': 'bytes' },
      headers: ['Cache-Control'],
    },
  },
  handler: async ({ context }) => {
    const { contentType, text } = await context.metrics();
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
    return { kind: 'bytes', bytes: Buffer.from(text), headers };
  },
});

import { defineRoute, ignoredQuery, noParams, notModifiedOfAny } from '../route.ts';

/** Never waits for a run of the lab CLI: a scraper must not hang on a broken lab. */
export const getMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getMetrics',
  summary: 'Metrics of the service, for Prometheus',
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
    304: { ...notModifiedOfAny, headers: ['Cache-Control'] },
  },
  handler: async ({ context }) => {
    const { contentType, text } = await context.metrics();
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
    return { kind: 'bytes', bytes: Buffer.from(text), headers };
  },
});

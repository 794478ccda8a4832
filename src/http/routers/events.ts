import { z } from 'zod';
import { eventTypes } from '../../events/model/event.ts';
import { sendFeed } from '../reply/feed-follow.ts';
import { jobFilterOf, jobFilterShape } from '../request/job-filter.ts';
import { listParameter, once } from '../request/query.ts';
import { defineRoute, noParams } from '../route.ts';

const querySchema = z.object({
  types: listParameter(z.enum(eventTypes, { error: `must be one of ${eventTypes.join(', ')}` })),
  ...jobFilterShape,
  /** For clients that cannot send `Last-Event-ID`; the header wins, for browsers repeat the query as it was. */
  after: once.optional(),
});

export const followEvents = defineRoute({
  method: 'get',
  path: '/events',
  operationId: 'followEvents',
  summary: 'What happens to jobs and labs, as it happens',
  params: noParams,
  query: querySchema,
  replies: {
    200: {
      description: 'How things are, then every change in order, until the client goes away',
      content: { 'text/event-stream': 'bytes' },
    },
  },
  handler: async ({ query, req, res, context: { events, shutdown } }) => {
    const filter = {
      ...(await jobFilterOf(query)),
      ...(query.types.length > 0 && { types: query.types }),
    };
    const after = req.get('Last-Event-ID') || query.after || undefined;
    await sendFeed({ req, res, shutdown }, events, { after, filter });
    return { kind: 'sent' };
  },
});

import * as z from 'zod';
import { eventTypes } from '../../events/model/event.ts';
import { noteStream } from '../middleware/observe-requests.ts';
import { isPassedOn } from '../cluster/peer-request.ts';
import { sendFeedOfHosts } from '../cluster/send-feed.ts';
import { sendFeed } from '../reply/feed-follow.ts';
import { feedEvents } from '../reply/feed-schemas.ts';
import { jobFilterOf, jobFilterShape } from '../request/job-filter.ts';
import { listParameter, once } from '../request/query.ts';
import { defineRoute, noParams } from '../route.ts';

const typeSchema = z.enum(eventTypes, { error: `must be one of ${eventTypes.join(', ')}` });

const querySchema = z.object({
  types: listParameter(typeSchema).describe(
    'Events of these kinds; repeated, or as a comma list. Default: all.',
  ),
  ...jobFilterShape,
  after: once
    .optional()
    .describe(
      'The same as `Last-Event-ID`, for clients that cannot send headers. The header has precedence, because browsers repeat the original query when they reconnect.',
    ),
});

export const followEvents = defineRoute({
  method: 'get',
  path: '/events',
  permission: 'read',
  about: 'thisHost',
  isForOwnSite: () => true,
  tag: 'service',
  operationId: 'followEvents',
  summary: 'Events of jobs and labs, as a stream',
  description:
    'First how things are, then every change in order, until the client goes away or the service stops. Every event with an `id` can be resumed after, over restarts of the service too; when that is not possible, `reset` says so. `instance`, `workdir` and `workspace` hold for labs as well, the other filters for jobs alone.',
  params: noParams,
  query: querySchema,
  headers: ['Last-Event-ID'],
  replies: {
    200: {
      description: 'Events.',
      content: { 'text/event-stream': { events: feedEvents } },
      headers: ['Cache-Control'],
    },
  },
  handler: async ({ query, req, res, context }) => {
    const { events, observer, shutdown, cluster, workspaces } = context;
    const { workspace } = query;
    const filter = {
      ...(await jobFilterOf(query)),
      ...(workspace !== undefined && {
        isInWorkspace: (directory: string) => workspaces.nameOf(directory) === workspace,
      }),
      ...(query.types.length > 0 && { types: query.types }),
    };
    const after = req.get('Last-Event-ID') || query.after || undefined;
    noteStream(res, 'events', observer);
    if (cluster && !isPassedOn(req)) {
      await sendFeedOfHosts({ req, res, context, cluster, after, filter });
      return { kind: 'sent' };
    }
    await sendFeed({ req, res, shutdown }, events, { after, filter });
    return { kind: 'sent' };
  },
});

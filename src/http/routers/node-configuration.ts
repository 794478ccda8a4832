import { savedAs } from '../reply/send-file.ts';
import { cutOffWhenStalled, streamSignal } from '../reply/stream.ts';
import { defineRoute, noQuery } from '../route.ts';
import { nodeErrors, nodeParams } from './node-parts.ts';

export const getNodeConfiguration = defineRoute({
  method: 'get',
  path: '/labs/:id/nodes/:node/configuration',
  // Configurations contain passwords and keys.
  permission: 'operate',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'nodes',
  operationId: 'getNodeConfiguration',
  summary: 'The running configuration of a node',
  description:
    'As text, in the words of the device: of a node with FRR `show running-config`; of a node of the bundled engine the addresses, routes, neighbours and settings, as `collect` writes them. It is read in the node, without a job, within 30 seconds, and may have 8 MiB. A node without a routing daemon, one that is no container, and a device whose command is not known answer 422 `not-supported`; a node that a fault has paused 409 `lab-not-up`.',
  params: nodeParams,
  query: noQuery,
  replies: {
    200: {
      description: 'The configuration.',
      content: { 'text/plain': 'bytes' },
      headers: ['Cache-Control', 'Content-Disposition'],
    },
  },
  errors: nodeErrors,
  handler: async ({ lab, params: { node }, res, context: { shutdown } }) => {
    const bytes = await lab.configurationOf(node, streamSignal(res, shutdown));
    cutOffWhenStalled(res);
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Disposition': savedAs(`${node}.cfg`),
      'Cache-Control': 'no-store',
    };
    return { kind: 'bytes', bytes, headers };
  },
});

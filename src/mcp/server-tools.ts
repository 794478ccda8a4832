/** Tools about the server and its user. Administration is for people: no tool changes users, hosts or settings. */
import * as z from 'zod';
import { defineTool } from './tool.ts';

export const serverTools = [
  defineTool({
    name: 'server_info',
    title: 'About the server',
    description: 'Returns the version of the service, its lab CLIs and its limits of leases.',
    input: {},
    effect: 'looks',
    operations: ['GET /'],
  }),
  defineTool({
    name: 'server_health',
    title: 'The health of the server',
    description: 'Returns whether the server can start labs now, and what is missing.',
    input: {},
    effect: 'looks',
    operations: ['GET /readyz'],
    // 503 says that the server cannot start labs, and its body has the reasons.
    run: async (_none, ask) => ({ data: (await ask('GET /readyz', {}, { accepted: 503 })).data }),
  }),
  defineTool({
    name: 'who_am_i',
    title: 'The user and their role',
    description: 'Returns the user of this connection, and what they may do: read, operate, administer.',
    input: {},
    effect: 'looks',
    operations: ['GET /session'],
  }),
  defineTool({
    name: 'quotas',
    title: 'Quotas',
    description: 'Returns how many labs, nodes, jobs and bytes a user has, and may have.',
    input: {
      user: z.string().optional().describe('Another user, for administrators and leaders of a group.'),
    },
    effect: 'looks',
    operations: ['GET /quotas'],
  }),
  defineTool({
    name: 'list_hosts',
    title: 'List lab servers',
    description: 'Lists the lab servers of a cluster with their room for labs.',
    input: {},
    effect: 'looks',
    operations: ['GET /hosts'],
  }),
];

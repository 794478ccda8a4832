/** Parts that the routes of nodes share. */
import * as z from 'zod';
import type { ErrorCode } from '../../lib/error-codes.ts';

export const nodeParams = z.object({
  id: z.string().describe('The lab instance, as `GET /status` calls it.'),
  node: z.string().describe('The name of the node in the topology.'),
});

/** The error codes of all routes of nodes. */
export const nodeErrors = [
  'instance-not-found',
  'node-not-found',
  'lab-not-up',
  'too-many-sessions',
  'not-supported',
  'lab-cli-failed',
  'lab-cli-missing',
  'lab-cli-timeout',
  'shutting-down',
] as const satisfies readonly ErrorCode[];

export const nodeNameOf = ({ id, node }: z.output<typeof nodeParams>) => ({ lab: id, node });

export const interfaceParams = nodeParams.extend({
  interface: z.string().describe('The interface, as the kernel of the node calls it: `eth1`.'),
});

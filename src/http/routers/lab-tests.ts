import * as z from 'zod';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { topologyErrors } from './lab-topology.ts';
import { labParams } from './labs.ts';

const listedTestSchema = z
  .object({
    name: z.string().describe('As `tests` of a job names it.'),
    description: z
      .string()
      .nullable()
      .describe('The description of the test; null if the topology has none.'),
    nodes: z.array(z.string()).describe('The nodes that it is run on; none for one that only waits.'),
    devices: z.array(z.string()).describe('The devices that it knows what to do on; empty for any.'),
    waitSeconds: z.int().nullable().describe('How long it is tried, in seconds; null for once.'),
  })
  .meta({ id: 'ListedTest', description: 'A test that a lab has.' });

const listSchema = z
  .object({ tests: z.array(listedTestSchema).describe('In the order in which they are run.') })
  .meta({ id: 'TestList', description: 'The tests of a lab.' });

export const getLabTests = defineRoute({
  method: 'get',
  path: '/labs/:id/tests',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'listLabTests',
  summary: 'The tests of a lab',
  description:
    'The tests that a job with `"action": "validate"` would run now, read from the topology as it is, also if it was edited after the lab was started. The list may be a few seconds old.',
  params: labParams,
  query: noQuery,
  replies: { 200: jsonReply('The tests.', listSchema) },
  errors: topologyErrors,
  handler: async ({ lab }) => ({
    kind: 'json',
    status: 200,
    value: { tests: await lab.tests() },
  }),
});

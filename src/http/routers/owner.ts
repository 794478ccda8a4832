/** Whose something is from now on. */
import * as z from 'zod';
import { checkedBody } from '../request/json-body.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { labChangeErrors } from './lab-lease.ts';
import { labParams } from './labs.ts';
import { workspaceParams } from './workspaces.ts';

/** As long as a name may be that somebody logs in with. */
const nameMax = 256;

const ownerSchema = z
  .strictObject({
    owner: z
      .string()
      .min(1, 'must not be empty')
      .max(nameMax, `must have at most ${nameMax} characters`)
      .nullable()
      .describe('The name of a user, which nobody looks up; null: nobody, but for administrators.'),
  })
  .meta({ id: 'Owner', description: 'Whose a lab or a workspace is.' });

const body = {
  schema: ownerSchema,
  parse: (given: unknown) => checkedBody(ownerSchema, given),
};

const whoMay = 'For administrators, and for the owner.';

export const putLabOwner = defineRoute({
  method: 'put',
  path: '/labs/:id/owner',
  permission: 'operate',
  about: 'lab',
  needs: 'give',
  tag: 'labs',
  operationId: 'replaceLabOwner',
  summary: 'Gives a lab to somebody else',
  description: `${whoMay} Until it is taken down, also over restarts. Refused (409) while a job runs or waits in its directory.`,
  params: labParams,
  query: noQuery,
  body,
  replies: { 200: jsonReply('Whose it is now.', ownerSchema) },
  errors: labChangeErrors,
  handler: async ({ lab, body: wanted }) => {
    await lab.give(wanted.owner);
    return { kind: 'json', status: 200, value: wanted };
  },
});

export const putWorkspaceOwner = defineRoute({
  method: 'put',
  path: '/workspaces/:name/owner',
  permission: 'operate',
  about: 'workspace',
  needs: 'give',
  tag: 'workspaces',
  operationId: 'replaceWorkspaceOwner',
  summary: 'Gives a workspace to somebody else',
  description: `${whoMay} Its lab is given away by itself. Refused (409) while a job runs or waits there.`,
  params: workspaceParams,
  query: noQuery,
  body,
  replies: { 200: jsonReply('Whose it is now.', ownerSchema) },
  errors: [
    'invalid-json',
    'workspace-not-found',
    'workspace-busy',
    'payload-too-large',
    'storage-fault',
    'disk-full',
  ],
  handler: async ({ workspace, body: wanted }) => {
    await workspace.give(wanted.owner);
    return { kind: 'json', status: 200, value: wanted };
  },
});

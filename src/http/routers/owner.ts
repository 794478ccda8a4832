/** Changes the owner of a lab or a workspace. */
import * as z from 'zod';
import { checked } from '../request/checked.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { labChangeErrors } from './lab-lease.ts';
import { labParams } from './labs.ts';
import { workspaceParams } from './workspaces.ts';

/** The longest user name that a login accepts. */
const nameMax = 256;

const ownerSchema = z
  .strictObject({
    owner: z
      .string()
      .min(1, 'must not be empty')
      .max(nameMax, `must have at most ${nameMax} characters`)
      .nullable()
      .describe(
        'The name of a user; the service does not check that the user exists. null: no owner, so that only administrators have it.',
      ),
  })
  // A reply, too, which a later version may add to.
  .meta({ id: 'Owner', description: 'The owner of a lab or a workspace.', additionalProperties: true });

const body = {
  schema: ownerSchema,
  parse: (given: unknown) => checked(ownerSchema, given),
};

const whoMay = 'Only for administrators and the owner.';

export const putLabOwner = defineRoute({
  method: 'put',
  path: '/labs/:id/owner',
  permission: 'operate',
  about: 'lab',
  needs: 'give',
  tag: 'labs',
  operationId: 'replaceLabOwner',
  summary: 'Changes the owner of a lab',
  description: `${whoMay} The owner stays until the lab is taken down, also over restarts of the service. Refused (409) while a job runs or waits in its directory.`,
  params: labParams,
  query: noQuery,
  body,
  replies: { 200: jsonReply('The new owner.', ownerSchema) },
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
  summary: 'Changes the owner of a workspace',
  description: `${whoMay} The owner of its lab does not change. Refused (409) while a job runs or waits there.`,
  params: workspaceParams,
  query: noQuery,
  body,
  replies: { 200: jsonReply('The new owner.', ownerSchema) },
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

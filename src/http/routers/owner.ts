/** Changes the owner of a lab or a workspace, and with whom it, or a snapshot, is shared. */
import * as z from 'zod';
import { userNameMax } from '../../access/model/groups.ts';
import { sharesSchema } from '../reply/share-schemas.ts';
import { checked } from '../request/checked.ts';
import { defineRoute, hostQuery, jsonReply, noQuery } from '../route.ts';
import { labChangeErrors } from './lab-lease.ts';
import { labParams } from './labs.ts';
import { snapshotParams } from './snapshots.ts';
import { workspaceParams } from './workspaces.ts';

const ownerSchema = z
  .strictObject({
    owner: z
      .string()
      .min(1, 'must not be empty')
      .max(userNameMax, `must have at most ${userNameMax} characters`)
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

const shareListSchema = z
  .strictObject({ shares: sharesSchema })
  // A reply, too, which a later version may add to.
  .meta({
    id: 'ShareList',
    description: 'The users and groups with whom a lab, a workspace or a snapshot is shared.',
    additionalProperties: true,
  });

const sharesBody = {
  schema: shareListSchema,
  parse: (given: unknown) => checked(shareListSchema, given),
};

const whoMay = 'Only for administrators and the owner.';
const whoMayLab =
  'Only for administrators and the owner; for a lab in a workspace, the owner of the workspace.';

export const putLabOwner = defineRoute({
  method: 'put',
  path: '/labs/:id/owner',
  permission: 'operate',
  about: 'lab',
  needs: 'give',
  tag: 'labs',
  operationId: 'replaceLabOwner',
  summary: 'Changes the owner of a lab',
  description: `${whoMayLab} The owner stays until the lab is taken down, also over restarts of the service. Refused (409) while a job runs or waits in its directory.`,
  params: labParams,
  query: noQuery,
  body,
  replies: { 200: jsonReply('The new owner.', ownerSchema) },
  errors: [...labChangeErrors, 'over-quota'],
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
    'over-quota',
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

export const putLabShares = defineRoute({
  method: 'put',
  path: '/labs/:id/shares',
  permission: 'operate',
  about: 'lab',
  needs: 'give',
  tag: 'labs',
  operationId: 'replaceLabShares',
  summary: 'Shares a lab with users and groups',
  description: `${whoMayLab} The list replaces the one before; an empty one ends all shares. Shares stay until the lab is taken down or started with \`up\` again, also over a \`restart\`. They allow no jobs, and never more than the role of the user. Refused (409) while a job runs or waits in its directory.`,
  params: labParams,
  query: noQuery,
  body: sharesBody,
  replies: { 200: jsonReply('The new shares.', shareListSchema) },
  errors: [...labChangeErrors, 'group-not-found'],
  handler: async ({ lab, body: { shares } }) => {
    await lab.share(shares);
    return { kind: 'json', status: 200, value: { shares } };
  },
});

export const putWorkspaceShares = defineRoute({
  method: 'put',
  path: '/workspaces/:name/shares',
  permission: 'operate',
  about: 'workspace',
  needs: 'give',
  tag: 'workspaces',
  operationId: 'replaceWorkspaceShares',
  summary: 'Shares a workspace with users and groups',
  description: `${whoMay} With the workspace, its files, its jobs and its lab are shared. The list replaces the one before; an empty one ends all shares. A share never allows more than the role of the user.`,
  params: workspaceParams,
  query: noQuery,
  body: sharesBody,
  replies: { 200: jsonReply('The new shares.', shareListSchema) },
  errors: [
    'invalid-json',
    'workspace-not-found',
    'group-not-found',
    'payload-too-large',
    'storage-fault',
    'disk-full',
  ],
  handler: async ({ workspace, body: { shares } }) => {
    await workspace.share(shares);
    return { kind: 'json', status: 200, value: { shares } };
  },
});

export const putSnapshotShares = defineRoute({
  method: 'put',
  path: '/snapshots/:name/shares',
  permission: 'operate',
  about: 'snapshot',
  needs: 'give',
  tag: 'snapshots',
  operationId: 'replaceSnapshotShares',
  summary: 'Shares a snapshot with users and groups',
  description: `${whoMay} They see the snapshot; operators among them also download it, compare with it and start it in workspaces of their own. \`as\` makes no difference: the owner and administrators alone share and remove it. The list replaces the one before; an empty one ends all shares.`,
  params: snapshotParams,
  query: hostQuery,
  body: sharesBody,
  replies: { 200: jsonReply('The new shares.', shareListSchema) },
  errors: [
    'invalid-json',
    'snapshot-not-found',
    'group-not-found',
    'payload-too-large',
    'storage-fault',
    'disk-full',
  ],
  handler: async ({ snapshot, body: { shares } }) => {
    await snapshot.share(shares);
    return { kind: 'json', status: 200, value: { shares } };
  },
});

import { layoutSchema } from '../../labs/picture/lab-layouts.ts';
import { defineRoute, jsonReply, noQuery, notModified } from '../route.ts';
import { layoutBody, layoutCheck, layoutReply } from './lab-picture.ts';
import { workspaceParams } from './workspaces.ts';

export const getWorkspaceLayout = defineRoute({
  method: 'get',
  path: '/workspaces/:name/layout',
  permission: 'read',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'getWorkspaceLayout',
  summary: 'The positions of nodes in the drawing of a workspace',
  description:
    'Empty if no user has moved a node. It is the layout of a lab that is started in the directory of the workspace, and survives `down`: `GET /labs/{id}/layout` returns the same. It is removed with the workspace.',
  params: workspaceParams,
  query: noQuery,
  headers: ['If-None-Match'],
  replies: { 200: jsonReply('The layout.', layoutSchema, ['ETag', 'Cache-Control']), 304: notModified },
  errors: ['workspace-not-found', 'storage-fault'],
  handler: async ({ workspace }) => layoutReply(await workspace.layout()),
});

export const putWorkspaceLayout = defineRoute({
  method: 'put',
  path: '/workspaces/:name/layout',
  permission: 'operate',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'replaceWorkspaceLayout',
  summary: 'Sets the positions of nodes in the drawing of a workspace',
  description:
    'Replaces the layout, also before a lab exists. With the `ETag` of the edited layout in `If-Match`, the request is refused with 412 if another user has changed the layout meanwhile.',
  params: workspaceParams,
  query: noQuery,
  body: layoutBody,
  headers: ['If-Match'],
  replies: { 200: jsonReply('The layout as it is now.', layoutSchema, ['ETag', 'Cache-Control']) },
  errors: [
    'workspace-not-found',
    'storage-fault',
    'precondition-failed',
    'invalid-json',
    'payload-too-large',
  ],
  handler: async ({ workspace, body, req }) => {
    await workspace.replaceLayout(body, layoutCheck(req));
    return layoutReply(body);
  },
});

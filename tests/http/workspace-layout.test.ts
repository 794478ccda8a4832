import { expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { startService, topologyThat } from '../support/service.ts';

const placed = { nodes: { r1: { x: 300, y: 10 } }, links: {} };
const nothing = { nodes: {}, links: {} };
const at = '/workspaces/course/layout';

test('the layout of a workspace is that of a lab in it, and goes with the workspace', async () => {
  const service = await startService();
  const put = async (target: string, body?: unknown, headers = {}) =>
    service.request(target, { method: 'PUT', body, headers });
  expect((await put(at, placed)).json.code).toBe('workspace-not-found');
  expect((await service.get(at)).json.code).toBe('workspace-not-found');
  await put('/workspaces/course');
  const before = await service.get(at);
  expect(before.json).toEqual(nothing);

  const etag = String(before.headers['etag']);
  expect((await put(at, placed, { 'If-Match': etag })).json).toEqual(placed);
  expect((await put(at, nothing, { 'If-Match': etag })).json.code).toBe('precondition-failed');
  const wrong = await put(at, { nodes: { r1: { x: 'far', y: 0 } } });
  expect([wrong.status, wrong.json.errors]).toMatchObject([400, [{ field: 'nodes.r1.x' }]]);

  const up = { action: 'up', workspace: 'course', topology: topologyThat() };
  const { instance } = await service.ended(await service.start(up));
  expect((await service.get(`/labs/${instance}/layout`)).json).toEqual(placed);
  const moved = { ...placed, nodes: { r1: { x: 1, y: 2 } } };
  await put(`/labs/${instance}/layout`, moved);
  await service.ended(await service.start({ action: 'down', workspace: 'course', cleanup: true }));
  expect((await service.get(at)).json).toEqual(moved);

  expect((await service.request('/workspaces/course', { method: 'DELETE' })).status).toBe(204);
  expect(readdirSync(path.join(service.ground.dataDir, 'layouts'))).toEqual([]);
  await put('/workspaces/course');
  expect((await service.get(at)).json).toEqual(nothing);
});

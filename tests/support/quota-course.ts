/** A course whose students share a server with quotas, which tests change. */
import { beforeAll, expect } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { makeGround, startService, topologyThat, type RunningService } from './service.ts';
import { courseRoles, usersFile, usersWithTokens } from './users-file.ts';

const { users, as } = usersWithTokens(courseRoles);

type Quotas = Readonly<Record<string, unknown>>;

interface Given {
  readonly server?: Quotas;
  readonly roles?: Quotas;
  readonly each?: Quotas;
  readonly together?: Quotas;
  readonly sue?: Quotas;
}

function fileOf({ server = {}, roles = {}, each = {}, together = {}, sue = {} }: Given): string {
  return JSON.stringify({
    users: users.map((user) => ({ ...user, ...(user.name === 'sue' && { quotas: sue }) })),
    groups: [{ name: 'course', members: ['sue', 'sam'], leaders: ['tom'], quotas: { each, together } }],
    quotas: { server, roles },
  });
}

export const withNodes = (nodes: string): string => topologyThat().replace(/^nodes: .*$/m, `nodes: ${nodes}`);
/** As the fake lab CLI reports each lab. */
export const fourNodes = withNodes('[r1, r2, h1, h2]');

/** Call it at the top of a test file. sue and sam are in the group `course`, which tom leads; ann is an administrator. */
export function quotaCourse() {
  const ground = makeGround();
  const file = usersFile(ground.root, fileOf({}));
  // A start is known to have an owner, and its nodes are read again at once.
  const env = { FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1ms', LAB_API_USERS_FILE: file };
  let service: RunningService;
  let nextId = 10;

  beforeAll(async () => {
    service = await startService({ ground, env });
  });

  const request = async (user: string, method: string, target: string, body?: unknown) =>
    service.request(target, { method, headers: as(user), ...(body !== undefined && { body }) });

  const use = async (given: Given): Promise<void> => {
    writeFileSync(file, fileOf(given));
    expect((await request('ann', 'POST', '/reload')).status).toBe(200);
  };

  /** The body of a start in a workspace of its own. */
  const start = (more: object = {}) => {
    nextId += 1;
    return { action: 'up', workspace: `w${nextId}`, topology: topologyThat(), multilabId: nextId, ...more };
  };
  const submit = async (user: string, body: object) => request(user, 'POST', '/jobs', body);
  const run = async (user: string, body: object) => {
    const { status, json } = await submit(user, body);
    expect([status, json.code]).toEqual([202, undefined]);
    const job = (await request(user, 'GET', `/jobs/${json.id}?wait=60`)).json;
    expect([job.state, job.error]).toEqual(['success', null]);
    return job;
  };
  const takeAllDown = async (): Promise<void> => {
    for (const { workdir } of (await request('ann', 'GET', '/labs')).json.labs)
      await run('ann', { action: 'down', workdir });
  };
  const usedBy = async (user: string, query = '') => {
    const { json } = await request(user, 'GET', `/quotas${query}`);
    return Object.fromEntries(
      (json.quotas as { kind: string; resource: string; used: number; limit: number | null }[]).map(
        ({ kind, resource, used, limit }) => [`${kind} ${resource}`, [used, limit]],
      ),
    );
  };

  return {
    ground,
    env,
    as,
    fileOf,
    service: () => service,
    request,
    use,
    start,
    submit,
    run,
    takeAllDown,
    usedBy,
  };
}

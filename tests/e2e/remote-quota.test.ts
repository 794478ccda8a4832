/** `lab quota`, as a user types it. */
import { beforeAll, expect, test } from '@jest/globals';
import {
  makeGround,
  runProgram,
  startService,
  topologyThat,
  type RunningService,
} from '../support/service.ts';
import { usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens({ ann: 'admin', sue: 'operator' });
const ground = makeGround();
let service: RunningService;

beforeAll(async () => {
  const quotas = { roles: { operator: { labs: 4, jobs: 0, workspaces: '1MiB', lease: '8h' } } };
  const text = JSON.stringify({ users, quotas });
  const env = { LAB_API_USERS_FILE: usersFile(ground.root, text), FAKE_LAB_LOGS: '1' };
  service = await startService({ ground, env });
  const { status, json } = await service.request('/jobs', {
    method: 'POST',
    headers: as('ann'),
    body: { action: 'up', workspace: 'course', topology: topologyThat() },
  });
  expect(status).toBe(202);
  await service.request(`/jobs/${json.id}?wait=60`, { headers: as('ann') });
  await service.request('/labs/default/owner', { method: 'PUT', headers: as('ann'), body: { owner: 'sue' } });
});

const ran = async (user: string, ...words: readonly string[]) => {
  const [, token = ''] = as(user).Authorization.split(' ');
  const env = { PATH: process.env['PATH'], LAB_API_TOKEN: token };
  const { exit, output } = runProgram(['quota', '--server', service.url, ...words], env);
  return { exitCode: await exit, output: output() };
};

test('lab quota shows a bar for each limit', async () => {
  const { exitCode, output } = await ran('sue');
  expect(exitCode).toBe(0);
  expect(output.split('\n').map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
    ['KIND', 'NAME', 'RESOURCE', 'USED', 'LIMIT'],
    ['user', 'sue', 'labs', '1', '4', '█████░░░░░░░░░░░░░░░'],
    ['user', 'sue', 'nodes', '4', '-'],
    ['user', 'sue', 'jobs', '0', '0', '████████████████████'],
    ['user', 'sue', 'workspaces', '0 bytes', '1 MiB', '░░░░░░░░░░░░░░░░░░░░'],
    ['a lab may run for 8h'],
    [''],
  ]);
});

test('lab quota USER shows those of another user to administrators', async () => {
  const { output } = await ran('ann', 'sue', '-o', 'json');
  expect(JSON.parse(output)).toMatchObject({ user: 'sue', maxLeaseSeconds: 28_800 });
  expect(await ran('sue', 'ann')).toEqual({
    exitCode: 1,
    output: expect.stringContaining(
      'the quotas of another user are for administrators and leaders of a group',
    ),
  });
});

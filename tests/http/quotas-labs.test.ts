/** Quotas of the users file: how many labs there may be. */
import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { fourNodes, quotaCourse } from '../support/quota-course.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { usersFile } from '../support/users-file.ts';

const { as, env, fileOf, ground, request, use, start, submit, run, takeAllDown, usedBy } = quotaCourse();

describe('labs', () => {
  test.each([
    [
      'of the user',
      { sue: { labs: 3 }, each: { labs: 1 }, roles: { operator: { labs: 1 } } },
      'sue is 3 labs',
    ],
    ['of each member of a group', { each: { labs: 3 }, roles: { operator: { labs: 1 } } }, 'sue is 3 labs'],
    ['of the role', { roles: { operator: { labs: 3 }, viewer: { labs: 9 } } }, 'sue is 3 labs'],
    [
      'of the group together',
      { sue: { labs: 'unlimited' }, together: { labs: 3 } },
      'the group course is 3 labs',
    ],
    ['of the server', { server: { labs: 3 } }, 'this server is 3 labs'],
  ] as const)(
    'of ten requests at once, as many are accepted as the limit %s allows',
    async (_whose, given, words) => {
      await use(given);
      const replies = await Promise.all(Array.from({ length: 10 }, async () => submit('sue', start())));
      const refused = replies.filter(({ status }) => status === 403);
      expect([replies.filter(({ status }) => status === 202).length, refused.length]).toEqual([3, 7]);
      for (const reply of refused) {
        expectProblem(reply, 403, 'over-quota');
        expect(reply.json.detail).toBe(
          `the quota of ${words}: 3 used, 0 left, 1 more needed; take a lab down, or ask an administrator for more`,
        );
        expect(reply.json.quota).toMatchObject({
          resource: 'labs',
          limit: 3,
          used: 3,
          wanted: 1,
          left: 0,
          yourCount: 3,
        });
      }
      for (const { json } of replies.filter(({ status }) => status === 202))
        await request('sue', 'GET', `/jobs/${json.id}?wait=60`);
      expect((await usedBy('sue'))['user labs']?.[0]).toBe(3);
      // A lab of another directory still does not fit; when one is down, it does.
      expectProblem(await submit('sue', start()), 403, 'over-quota');
      const [lab] = (await request('sue', 'GET', '/labs')).json.labs;
      await run('sue', { action: 'down', workdir: lab.workdir });
      await run('sue', start());
      await takeAllDown();
    },
  );

  test('that are copies of a snapshot are all accepted, or none', async () => {
    await use({ sue: { labs: 3 } });
    await run('sue', start());
    const [lab] = (await request('sue', 'GET', '/labs')).json.labs;
    const kept = await request('sue', 'POST', `/labs/${lab.id}/snapshots`, { name: 'course' });
    expect(kept.json).toMatchObject({ name: 'course', owner: 'sue' });
    const restore = async (copies: number) =>
      request('sue', 'POST', '/snapshots/course/restore', { workspace: `copy-${copies}`, copies });
    const jobs = async (): Promise<number> =>
      (await request('sue', 'GET', '/jobs?limit=500')).json.jobs.length;
    const before = await jobs();
    const refused = await restore(3);
    expectProblem(refused, 403, 'over-quota');
    expect(refused.json.detail).toContain('1 used, 2 left, 3 more needed');
    expect([await jobs(), (await usedBy('sue'))['user labs']?.[0]]).toEqual([before, 1]);
    const names = (await request('sue', 'GET', '/workspaces')).json.workspaces.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name: string) => name.startsWith('copy-'))).toEqual([]);
    // All of them are counted before the first is unpacked.
    await use({ sue: { nodes: 15 } });
    expect((await restore(3)).json.detail).toContain('4 used, 11 left, 12 more needed');
    await use({ sue: { workspaces: '1kB' } });
    expect((await restore(50)).json.quota).toMatchObject({
      resource: 'workspaceBytes',
      limit: 1_000,
      used: 0,
    });
    await use({ sue: { labs: 3 } });
    const two = await restore(2);
    expect(two.status).toBe(202);
    for (const { id } of two.json.labs.flatMap((one: { jobs: { id: string }[] }) => one.jobs))
      await request('sue', 'GET', `/jobs/${id}?wait=60`);
    expect((await usedBy('sue'))['user labs']?.[0]).toBe(3);
    await takeAllDown();
  });

  test('are counted over a restart of the service, also while their jobs run', async () => {
    const own = makeGround();
    const quotas = fileOf({ sue: { labs: 2 } });
    const all = { ...env, LAB_API_USERS_FILE: usersFile(own.root, quotas) };
    const before = await startService({ ground: own, env: all });
    const post = async (at: RunningService, body: object) =>
      at.request('/jobs', { method: 'POST', headers: as('sue'), body });
    const up = await post(before, start());
    await before.request(`/jobs/${up.json.id}?wait=60`, { headers: as('sue') });
    const slow = await post(before, start({ topology: topologyThat('wait_for gate') }));
    await own.waitsFor('gate');
    await before.stop();
    const after = await startService({ ground: own, env: all });
    expectProblem(await post(after, start()), 403, 'over-quota');
    own.let('gate');
    await after.request(`/jobs/${slow.json.id}?wait=60`, { headers: as('sue') });
    expectProblem(await post(after, start()), 403, 'over-quota');
  });

  test('keep their nodes over a restart of the service, and workspaces their bytes', async () => {
    const own = makeGround();
    const quotas = fileOf({ sue: { nodes: 4, workspaces: '95kB' } });
    const all = { ...env, LAB_API_USERS_FILE: usersFile(own.root, quotas) };
    const before = await startService({ ground: own, env: all });
    const send = async (at: RunningService, method: string, target: string, body?: object | string) =>
      at.request(target, {
        method,
        headers: {
          ...as('sue'),
          ...(typeof body === 'string' && { 'Content-Type': 'application/octet-stream' }),
        },
        ...(body !== undefined && { body }),
      });
    const up = await send(before, 'POST', '/jobs', start({ topology: fourNodes }));
    await send(before, 'GET', `/jobs/${up.json.id}?wait=60`);
    const names = Array.from({ length: 9 }, (_, at) => `kept${at}`);
    for (const name of names) {
      await send(before, 'PUT', `/workspaces/${name}`);
      expect((await send(before, 'PUT', `/workspaces/${name}/files/a`, 'x'.repeat(10_000))).status).toBe(201);
    }
    await before.stop();
    own.onStatus('[ -n "$instance" ] && exit 1');
    const after = await startService({ ground: own, env: all });
    for (const reply of await Promise.all(
      names.map(async (name) => send(after, 'PUT', `/workspaces/${name}/files/b`, 'x'.repeat(10_000))),
    ))
      expectProblem(reply, 403, 'over-quota');
    expectProblem(await send(after, 'POST', '/jobs', start()), 403, 'over-quota');
  });

  test('that cannot be counted are not shown as none, and no lab is started', async () => {
    const own = makeGround();
    const all = { ...env, LAB_API_USERS_FILE: usersFile(own.root, fileOf({ sue: { labs: 1 } })) };
    const service = await startService({ ground: own, env: all });
    const up = await service.request('/jobs', { method: 'POST', headers: as('sue'), body: start() });
    await service.request(`/jobs/${up.json.id}?wait=60`, { headers: as('sue') });
    const list = path.join(own.env['HOME'] ?? '', '.netlab', 'status.yaml');
    writeFileSync(list, '{"1": {"dir": ');
    expectProblem(await service.request('/quotas', { headers: as('sue') }), 502, 'lab-cli-failed');
    const more = await service.request('/jobs', { method: 'POST', headers: as('sue'), body: start() });
    expectProblem(more, 502, 'lab-cli-failed');
    expect(more.json.detail).toContain('cannot be counted for your quota');
  });

  test('that failed to start and left nothing are free', async () => {
    await use({ sue: { labs: 1 } });
    const failed = await submit('sue', start({ topology: topologyThat('exit 1') }));
    expect((await request('sue', 'GET', `/jobs/${failed.json.id}?wait=60`)).json.state).toBe('failed');
    await run('sue', start());
    await takeAllDown();
  });

  test('that are started again in their directory need nothing more', async () => {
    await use({ sue: { labs: 1, nodes: 4 } });
    const { workspace } = await run('sue', start({ topology: fourNodes }));
    await run('sue', { action: 'restart', workspace });
    expect((await usedBy('sue'))['user labs']).toEqual([1, 1]);
    await takeAllDown();
  });

  test('stay those of their owner while another user restarts them', async () => {
    await use({ sue: { labs: 1 } });
    const { workspace } = await run('sue', start());
    ground.onRestart('wait_for again');
    const restart = await submit('tom', { action: 'restart', workspace });
    expect(restart.status).toBe(202);
    await ground.waitsFor('again');
    expect((await request('ann', 'GET', '/labs')).json.labs).toEqual([]);
    expectProblem(await submit('sue', start()), 403, 'over-quota');
    expect((await usedBy('tom'))['user labs']).toEqual([0, null]);
    ground.let('again');
    expect((await request('tom', 'GET', `/jobs/${restart.json.id}?wait=60`)).json.state).toBe('success');
    expect((await usedBy('sue'))['user labs']).toEqual([1, 1]);
    ground.onRestart('');
    await takeAllDown();
  });

  test('of a restart that comes behind a down count for the user', async () => {
    await use({});
    const { workspace } = await run('sue', start());
    expect(
      (
        await request('sue', 'PUT', `/workspaces/${workspace}/shares`, {
          shares: [{ kind: 'user', name: 'sam', as: 'operator' }],
        })
      ).status,
    ).toBe(200);
    await use({ each: { labs: 0 }, sue: { labs: 1 } });
    // The lab stays that of sue.
    await run('sam', { action: 'restart', workspace });
    const running = await submit('sam', { action: 'validate', workspace });
    expect(running.status).toBe(202);
    const down = await submit('sam', { action: 'down', workspace });
    expect(down.status).toBe(202);
    expectProblem(await submit('sam', { action: 'restart', workspace }), 403, 'over-quota');
    await request('sam', 'GET', `/jobs/${down.json.id}?wait=60`);
    await takeAllDown();
  });

  test('that are a gift need room', async () => {
    await use({ each: { labs: 1 }, together: { labs: 2 } });
    const { instance } = await run('sue', start());
    const { workspace } = await run('sam', start());
    const give = async (user: string) => request(user, 'PUT', `/labs/${instance}/owner`, { owner: 'sam' });
    const refused = await give('sue');
    expectProblem(refused, 403, 'over-quota');
    // The things of sam are hidden from sue.
    expect(refused.json.detail).toBe('the quotas of sam leave no room for it: ask sam, or an administrator');
    expect(refused.json.quota).toBeUndefined();
    await run('sam', { action: 'down', workspace });
    expect((await give('sue')).status).toBe(200);
    expect((await usedBy('sam'))['user labs']).toEqual([1, 1]);
    expect((await usedBy('sue'))['user labs']).toEqual([0, 1]);
    await run('sue', start());
    // An administrator decides.
    const [lab] = (await request('sue', 'GET', '/labs')).json.labs.filter(
      ({ owner }: { owner: string }) => owner === 'sue',
    );
    expect((await request('ann', 'PUT', `/labs/${lab.id}/owner`, { owner: 'sam' })).status).toBe(200);
    expect((await usedBy('sam'))['user labs']).toEqual([2, 1]);
    await takeAllDown();
  });
});

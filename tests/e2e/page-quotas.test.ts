/** The quotas of a user in the settings of the page, in a real browser. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { isLive } from '../support/page.ts';
import { makeGround, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens({ sue: 'operator', vic: 'viewer' });

(missingForBrowser === undefined ? describe : describe.skip)(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    const ground = makeGround();
    const quotas = {
      roles: { operator: { labs: 1, nodes: 8, workspaces: '1MiB', lease: '8h' } },
      server: { labs: 10 },
    };
    const groups = [{ name: 'course', members: ['sue'], quotas: { together: { jobs: 7 } } }];
    const file = usersFile(ground.root, JSON.stringify({ users, groups, quotas }));
    const env = { LAB_API_USERS_FILE: file, FAKE_LAB_LOGS: '1' };
    service = await startProgram({ ground, env, client: { headers: as('sue') } });
    const up = { action: 'up', workspace: 'course', topology: topologyThat() };
    expect((await service.ended(await service.start(up))).state).toBe('success');
  });

  async function settingsOf(user: string) {
    const visitor = await visit({ extraHTTPHeaders: as(user) });
    await visitor.page.goto(`${service.url}/ui/settings`);
    await isLive(visitor.page);
    const part = visitor.page.getByRole('region', { name: 'Quotas' });
    await part.getByRole('listitem').first().waitFor();
    return { ...visitor, part };
  }

  test('each resource has its use, and its limit with a bar', async () => {
    const { page, part, complaints } = await settingsOf('sue');
    expect(await part.getByRole('listitem').allInnerTexts()).toEqual([
      'Labs: 1 of 1',
      'Nodes: 4 of 8',
      'Jobs that wait or run: 0',
      'Workspaces: 0 B of 1.0 MiB',
      'Jobs that wait or run, the group course together: 0 of 7',
      'Labs, all users together: 1 of 10',
    ]);
    await part.getByText('A lab may run for 8 h.', { exact: true }).waitFor();
    expect(await problemsInLooks(page, 'quotas')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a user without limits sees the use alone', async () => {
    const { part, complaints } = await settingsOf('vic');
    expect(await part.getByRole('listitem').allInnerTexts()).toEqual([
      'Labs: 0',
      'Nodes: 0',
      'Jobs that wait or run: 0',
      'Workspaces: 0 B',
      'Labs, all users together: 1 of 10',
    ]);
    expect(complaints).toEqual([]);
  });
});

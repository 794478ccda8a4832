/** In the page: the owner of a lab, a workspace or a snapshot shares it, others see with whom, and administrators see the groups. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { isLive } from '../support/page.ts';
import { pressTo } from '../support/page-of-labs.ts';
import { makeGround, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { courseRoles, usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens(courseRoles);

(missingForBrowser === undefined ? describe : describe.skip)(missingForBrowser ?? 'in Chromium', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    const ground = makeGround();
    const groups = [
      { name: 'course', members: ['sue', 'sam'], leaders: ['tom'] },
      { name: 'guests', members: ['vic'] },
    ];
    const file = usersFile(ground.root, JSON.stringify({ users, groups }));
    const env = { LAB_API_USERS_FILE: file, FAKE_LAB_LOGS: '1' };
    service = await startProgram({ ground, env, client: { headers: as('sue') } });
    const up = { action: 'up', workspace: 'team', topology: topologyThat() };
    expect((await service.ended(await service.start(up))).state).toBe('success');
  });

  async function open(user: string, address: string) {
    const visitor = await visit({ extraHTTPHeaders: as(user) });
    await visitor.page.goto(`${service.url}/ui/${address}`);
    await isLive(visitor.page);
    const share = visitor.page.getByRole('button', { name: 'Share', exact: true });
    return { ...visitor, share, dialog: visitor.page.getByRole('dialog') };
  }
  /** The fake lab CLI has no picture. */
  const isOther = (complaint: string): boolean => !complaint.includes('/topology');
  const sharesOf = async (path: string) => (await service.get(path)).json.shares;

  test('the owner shares a workspace by keyboard alone, changes a right, and ends a share', async () => {
    const { page, share, dialog, complaints } = await open('sue', 'workspaces/team');
    await pressTo(page, 'Tab', share);
    await page.keyboard.press('Enter');
    await dialog.getByText('It is not shared.').waitFor();
    expect(await problemsInLooks(page, 'share-none', { part: '[role="dialog"]' })).toEqual([]);
    const user = dialog
      .getByRole('combobox', { name: 'User' })
      .or(dialog.getByRole('textbox', { name: 'User' }));
    await pressTo(page, 'Tab', user);
    await page.keyboard.type('vic');
    await page.keyboard.press('Enter');
    const list = dialog.getByRole('table', { name: 'Shared with' });
    await list.getByText('vic').waitFor();
    expect(await sharesOf('/workspaces/team')).toEqual([{ kind: 'user', name: 'vic', as: 'viewer' }]);

    await dialog.getByLabel('With', { exact: true }).selectOption('group');
    await dialog.getByLabel('Group').fill('nobody');
    await dialog.getByLabel('As', { exact: true }).selectOption('operator');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByText('there is no such group').waitFor();
    expect(await problemsInLooks(page, 'share-no-group', { part: '[role="dialog"]' })).toEqual([]);
    await dialog.getByLabel('Group').fill('cour');
    await page.getByRole('option', { name: 'course' }).click();
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await list.getByText('the group course').waitFor();
    await list.getByLabel('Right of vic').selectOption('operator');
    await page.getByText('shared with vic (operator), the group course (operator)').waitFor();
    expect(await problemsInLooks(page, 'shared', { part: '[role="dialog"]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'End the share with vic' }).click();
    await list.getByText('vic').waitFor({ state: 'detached' });
    expect(await sharesOf('/workspaces/team')).toEqual([{ kind: 'group', name: 'course', as: 'operator' }]);
    await dialog.getByText('Close', { exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('shared with the group course (operator)').waitFor();
    expect(await problemsInLooks(page, 'workspace-shared')).toEqual([]);
    // The browser reports the reply about the unknown group.
    expect(complaints.filter((text) => !text.includes('/shares'))).toEqual([]);
  });

  test('the owner shares a lab; other users see that, and are offered nothing', async () => {
    const { page, share, dialog, complaints } = await open('sue', 'labs/default');
    await share.click();
    await dialog.getByRole('link', { name: 'team' }).waitFor();
    await dialog.getByLabel('User').fill('vic');
    await page.keyboard.press('Enter');
    await dialog.getByRole('table', { name: 'Shared with' }).getByText('vic').waitFor();
    expect(await problemsInLooks(page, 'lab-share', { part: '[role="dialog"]' })).toEqual([]);
    expect(await sharesOf('/labs/default')).toEqual([{ kind: 'user', name: 'vic', as: 'viewer' }]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await problemsInLooks(page, 'lab-shared')).toEqual([]);
    for (const user of ['vic', 'sam']) {
      const other = await open(user, 'labs/default');
      await other.page.getByText('shared with vic (viewer)').waitFor();
      expect(await other.share.count()).toBe(0);
      await other.page.goto(`${service.url}/ui/workspaces/team`);
      await other.page.getByText('shared with the group course (operator)').waitFor();
      expect(await other.share.count()).toBe(0);
      expect(other.complaints.filter(isOther)).toEqual([]);
    }
    expect(complaints.filter(isOther)).toEqual([]);
  });

  test('the owner shares a snapshot, which gives the same with either right', async () => {
    const kept = await service.request('/labs/default/snapshots', {
      method: 'POST',
      body: { name: 'stage' },
    });
    expect(kept.status).toBe(201);
    const { page, share, dialog, complaints } = await open('sue', 'snapshots/stage');
    await share.click();
    await dialog.getByLabel('With', { exact: true }).selectOption('group');
    await dialog.getByLabel('Group').fill('cour');
    await page.getByRole('option', { name: 'course' }).click();
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByRole('table', { name: 'Shared with' }).getByText('the group course').waitFor();
    expect(await dialog.getByLabel('As', { exact: true }).count()).toBe(0);
    expect(await problemsInLooks(page, 'snapshot-share', { part: '[role="dialog"]' })).toEqual([]);
    expect(await sharesOf('/snapshots/stage')).toEqual([{ kind: 'group', name: 'course', as: 'viewer' }]);
    await dialog.getByText('Close', { exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('shared with the group course', { exact: true }).waitFor();
    expect(await problemsInLooks(page, 'snapshot-shared')).toEqual([]);
    const other = await open('sam', 'snapshots/stage');
    await other.page.getByText('shared with the group course', { exact: true }).waitFor();
    expect(await other.share.count()).toBe(0);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  test('an administrator sees the groups, and finds all names', async () => {
    const { page, complaints } = await open('ann', 'users');
    const groups = page.getByRole('table', { name: 'Groups' });
    await groups.waitFor();
    expect(await groups.getByRole('row').allInnerTexts()).toEqual([
      'Group\tLeaders\tMembers',
      'course\ttom\tsue, sam',
      'guests\t–\tvic',
    ]);
    expect(await problemsInLooks(page, 'groups')).toEqual([]);
    const { page: other, share, dialog } = await open('ann', 'workspaces/team');
    await share.click();
    await dialog.getByLabel('User').fill('to');
    await other.getByRole('option', { name: 'tom' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Who may log in after `install-service.sh`: its unit refuses to start a service without any user. */
import { expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { install, makeRoots, settingsOf, unitOf } from '../support/install-script.ts';
import { environmentFile } from '../support/supervisor.ts';

const newRoot = makeRoots();

test('settings of an earlier version without a user get one: the unit refuses to start without', async () => {
  const root = newRoot('no-user');
  await install('--root', root);
  writeFileSync(settingsOf(root), 'LAB_API_PORT=1\n# LAB_API_USER=lab', { mode: 0o600 });
  const { output } = await install('--root', root);
  expect(output).toContain('the service had no user, and needs one now: it is lab');
  const settings = environmentFile(settingsOf(root));
  expect(settings).toEqual({
    LAB_API_PORT: '1',
    LAB_API_USER: 'lab',
    LAB_API_PASSWORD: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(output).not.toContain(settings['LAB_API_PASSWORD']);
  expect(statSync(settingsOf(root)).mode & 0o777).toBe(0o600);
  expect((await install('--root', root)).output).toContain(`${settingsOf(root)} stays as it is`);
});

test.each([
  ['in the settings: open on purpose', 'LAB_API_REQUIRE_AUTH=false\n', ''],
  ['in the settings: a file of users', 'LAB_API_USERS_FILE=/etc/lab-api/users.yml\n', ''],
  ['in a drop-in', '', '[Service]\nEnvironment="LAB_API_USER=me" LAB_API_PASSWORD=mine\n'],
  ['in a file of a drop-in', '', '[Service]\nEnvironmentFile=/etc/secret\n'],
])('who may log in is said %s: nothing is added', async (name, content, dropIn) => {
  const root = newRoot(name.replaceAll(/\W/g, '-'));
  await install('--root', root);
  writeFileSync(settingsOf(root), content);
  mkdirSync(`${unitOf(root)}.d`);
  writeFileSync(path.join(`${unitOf(root)}.d`, 'override.conf'), dropIn);
  expect((await install('--root', root)).output).toContain(`${settingsOf(root)} stays as it is`);
  expect(readFileSync(settingsOf(root), 'utf8')).toBe(content);
});

import { expect, test } from '@jest/globals';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkSecretFiles } from '../../../src/doctor/access.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const password = path.join(root, 'password');
const sessions = path.join(root, 'sessions.json');
writeFileSync(password, 'correct horse', { mode: 0o600 });

const check = (env: Readonly<Record<string, string>>) =>
  checkSecretFiles(subjectOf({ LAB_API_DATA_DIR: root, ...env }));
const user = { LAB_API_USER: 'ops', LAB_API_PASSWORD_FILE: password };

test('nothing to look at', () => {
  expect(check({ LAB_API_USER: 'ops', LAB_API_PASSWORD: 'correct horse' }).kind).toBe('skipped');
});

test('a settings file with a secret', () => {
  const file = path.join(root, 'settings');
  writeFileSync(file, 'LAB_API_USER=ops\nLAB_API_PASSWORD=correct', { mode: 0o644 });
  expect(check({ LAB_API_SETTINGS_FILE: file })).toMatchObject({
    kind: 'warning',
    remedy: `chmod o= ${file}`,
  });
  writeFileSync(file, 'LAB_API_KEEP_DAYS=7');
  expect(check({ LAB_API_SETTINGS_FILE: file }).kind).toBe('skipped');
});

test('a file of a secret, and that of sessions', () => {
  expect(check(user)).toEqual({ kind: 'ok', detail: password });
  chmodSync(password, 0o640);
  expect(check(user).kind).toBe('ok');
  chmodSync(password, 0o644);
  writeFileSync(sessions, '{}', { mode: 0o604 });
  expect(check(user)).toEqual({
    kind: 'warning',
    detail: `other users of this machine may read ${password}, ${sessions}`,
    remedy: `chmod o= ${password} ${sessions}`,
  });
});

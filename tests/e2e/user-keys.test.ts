/** `lab user key`, as an administrator types it. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { labWith as lab } from '../support/lab-with.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const freshFile = (): string => path.join(mkdtempSync(path.join(root, 'users-')), 'users.yaml');

describe('keys', () => {
  const keyFile = (name: string): string => path.resolve(`tests/fixtures/ssh-keys/${name}.pub`);
  const fingerprint = 'SHA256:sNEUrOb+BVoUH6mae7IDAJOgHv+ve98ankb7LCCu4Ws';

  test('are added, listed and removed', async () => {
    const file = freshFile();
    for (const name of ['ops', 'bob']) await lab(['user', 'add', name, '--no-password'], file);
    expect(await lab(['user', 'key', 'add', 'ops', keyFile('ed25519-256')], file)).toEqual({
      code: 0,
      out: '',
      said: `ops can log in over SSH with ${fingerprint}\n`,
    });
    const more = readFileSync(keyFile('ecdsa-256'), 'utf8');
    expect(await lab(['user', 'key', 'add', 'ops', '-'], file, `# mine\n${more}`)).toMatchObject({ code: 0 });
    const { out } = await lab(['user', 'key', 'list', 'ops'], file);
    expect(out.replace(/ +/g, ' ')).toBe(
      `FINGERPRINT TYPE COMMENT\n${fingerprint} ssh-ed25519 ed25519-256\nSHA256:dYFnxaPZQj1UtyW7/iEJhaODRwqEWFF/NA59Wr3GlBQ ecdsa-sha2-nistp256 ecdsa-256\n`,
    );
    expect(await lab(['user', 'key', 'add', 'bob', keyFile('ed25519-256')], file)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/"ops" has this key already/),
    });
    expect(await lab(['user', 'key', 'remove', 'ops', fingerprint], file)).toMatchObject({ code: 0 });
    expect(JSON.parse((await lab(['user', 'key', 'list', 'ops', '-o', 'json'], file)).out)).toHaveLength(1);
    expect(await lab(['user', 'key', 'remove', 'ops', fingerprint], file)).toMatchObject({
      code: 1,
      said: expect.stringContaining(`"ops" has no key "${fingerprint}"`),
    });
  });

  test('that cannot be used are refused', async () => {
    const file = freshFile();
    await lab(['user', 'add', 'ops', '--no-password'], file);
    const before = readFileSync(file, 'utf8');
    for (const [args, said] of [
      [['add', 'ops', keyFile('rsa-1024')], 'must have at least 2048 bits'],
      [['add', 'ops', '/nowhere.pub'], '/nowhere.pub: ENOENT'],
      [['add', 'zoe', keyFile('rsa-2048')], 'there is no user "zoe"'],
      [['list', 'zoe'], 'there is no user "zoe"'],
    ] as const)
      expect((await lab(['user', 'key', ...args], file)).said).toContain(said);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readUsersFile } from '../../../../src/access/users/read-users-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { usersFile } from '../../../support/users-file.ts';

const root = temporaryDirectory();
const text = 'users: []\n';
const self = process.getuid?.() ?? 0;

async function refusalOf(file: string): Promise<unknown> {
  return readUsersFile(file).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

describe('a file that only its owner may change', () => {
  test('is read', async () => {
    expect(await readUsersFile(usersFile(root, text))).toBe(text);
  });

  test('may be readable by others, behind a link, and in a sticky directory', async () => {
    const file = usersFile(root, text);
    chmodSync(file, 0o644);
    chmodSync(path.dirname(file), 0o1777);
    symlinkSync(file, path.join(root, 'link'));
    expect(await readUsersFile(path.join(root, 'link'))).toBe(text);
  });
});

describe('what somebody else could change is refused', () => {
  const others = 'may be written by others: run "chmod go-w" on it';

  test.each([0o620, 0o602, 0o666])('a file with mode %o', async (mode) => {
    const file = usersFile(root, text);
    chmodSync(file, mode);
    expect(await refusalOf(file)).toBe(`${file} ${others}`);
  });

  test.each([0o770, 0o707])('a file in a directory with mode %o', async (mode) => {
    const file = usersFile(root, text);
    chmodSync(path.dirname(file), mode);
    expect(await refusalOf(file)).toBe(`${file} is in a directory, ${path.dirname(file)}, that ${others}`);
  });

  test('a link into a directory that others may write to', async () => {
    const file = usersFile(root, text);
    const link = path.join(path.dirname(usersFile(root, text)), 'link.yaml');
    symlinkSync(file, link);
    chmodSync(path.dirname(file), 0o777);
    expect(await refusalOf(link)).toBe(`${link} is in a directory, ${path.dirname(file)}, that ${others}`);
  });

  const asRoot = self === 0 ? test : test.skip;
  asRoot('a file, or its directory, of another user', async () => {
    const another = `belongs to another user (uid 12345), who could make themselves an administrator: chown it to root`;
    const file = usersFile(root, text);
    chownSync(file, 12_345, 0);
    expect(await refusalOf(file)).toBe(`${file} ${another}`);
    chownSync(file, 0, 0);
    chownSync(path.dirname(file), 12_345, 0);
    expect(await refusalOf(file)).toBe(`${file} is in a directory, ${path.dirname(file)}, that ${another}`);
  });
});

describe('what is no such file', () => {
  test('is not there', async () => {
    const file = path.join(root, 'absent.yaml');
    expect(await refusalOf(file)).toBe(`${file} is not there; "lab user add" makes it`);
  });

  test('a directory', async () => {
    expect(await refusalOf(root)).toBe(`${root} is not a plain file`);
  });

  test('a pipe, which nobody waits for', async () => {
    const pipe = path.join(root, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(await refusalOf(pipe)).toBe(`${pipe} is not a plain file`);
  });

  test('a device', async () => {
    expect(await refusalOf('/dev/null')).toBe('/dev/null is not a plain file');
  });

  test('too large a file', async () => {
    const file = usersFile(root, '#'.repeat(256 * 1024));
    expect((await readUsersFile(file)).length).toBe(256 * 1024);
    writeFileSync(file, '#'.repeat(256 * 1024 + 1));
    expect(await refusalOf(file)).toBe(`${file} is larger than 256 KiB`);
  });

  test('no UTF-8', async () => {
    const file = usersFile(root, '');
    writeFileSync(file, Buffer.from([0x75, 0xff]));
    expect(await refusalOf(file)).toBe(`${file} is not UTF-8 text`);
  });
});

test('a file that is replaced while it is read is one or the other', async () => {
  const file = usersFile(root, text);
  const versions = ['a', 'b'].map((letter) => `# ${letter.repeat(200_000)}\n`);
  const readings = Array.from({ length: 40 }, async (_, at) => {
    writeFileSync(`${file}.${at}`, versions[at % 2] ?? '', { mode: 0o600 });
    renameSync(`${file}.${at}`, file);
    return readUsersFile(file);
  });
  for (const seen of await Promise.all(readings)) expect(versions).toContain(seen);
  rmSync(file);
});

/** `lab user` and `lab token`, as an administrator types them, and the service that reads what they write. */
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { usersIn } from '../../src/access/users/edit-users-file.ts';
import { sha256Of } from '../../src/lib/text/sha256.ts';
import { isPassword } from '../../src/access/passwords/password-hash.ts';
import { eventually } from '../support/eventually.ts';
import { labWith as lab } from '../support/lab-with.ts';
import { bareShell } from '../support/remote-lab.ts';
import { requirement } from '../support/requirements.ts';
import { builtProgram, makeGround, runProgram, startProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { usersFile } from '../support/users-file.ts';

const root = temporaryDirectory();
const freshFile = (): string => path.join(mkdtempSync(path.join(root, 'users-')), 'users.yaml');

const isRoot = process.getuid?.() === 0;
const madeByRoot = (file: string): string =>
  isRoot
    ? `${file} is new, and only its owner can read it. If the service runs as another user, give the file its group: chgrp, chmod 640.\n`
    : '';

describe('users', () => {
  test('are those of the file that the settings file names', async () => {
    const [file, settings] = [freshFile(), path.join(root, 'settings.env')];
    await lab(['user', 'add', 'ops', '--role', 'admin', '--no-password'], file);
    const list = () => runProgram(['user', 'list'], { ...bareShell, LAB_API_SETTINGS_FILE: settings });
    writeFileSync(settings, `LAB_API_USERS_FILE=${file}`);
    const found = list();
    expect([await found.exit, found.output()]).toEqual([0, expect.stringContaining('ops ')]);
    writeFileSync(settings, 'LAB_API_USERS_FILE');
    const wrong = list();
    expect([await wrong.exit, wrong.output()]).toEqual([
      2,
      expect.stringContaining('settings.env cannot be'),
    ]);
  });

  test('are added with a password, listed, given another one, and removed', async () => {
    const file = freshFile();
    expect(await lab(['user', 'add', 'ops', '--role', 'admin'], file, 'first password\n')).toEqual({
      code: 0,
      out: '',
      said: `ops is a user now: admin\n${madeByRoot(file)}`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const passwordFile = path.join(path.dirname(file), 'password');
    writeFileSync(passwordFile, 'second password\r\n');
    expect(await lab(['user', 'passwd', 'ops', '--password-file', passwordFile], file)).toMatchObject({
      code: 0,
      said: 'ops has a new password; sessions that used the old one have ended\n',
    });
    const [ops] = await usersIn(file);
    expect(await isPassword(ops?.password ?? { kind: 'plain', text: '' }, 'second password')).toBe(true);
    const table = await lab(['user', 'list'], file);
    expect(table.out.replace(/ +/g, ' ')).toBe(
      'NAME ROLE PASSWORD TOKENS WORKDIRS\nops admin scrypt 0 any\n',
    );
    const { out } = await lab(['user', 'list', '-o', 'json', '--file', file], undefined);
    expect(JSON.parse(out)).toEqual([
      { name: 'ops', role: 'admin', password: 'scrypt', tokens: [], workdirs: null, locked: false },
    ]);
    appendFileSync(file, 'groups:\n  - { name: class, members: [ops] }\n');
    expect(await lab(['user', 'remove', 'ops'], file)).toEqual({
      code: 0,
      out: '',
      said: `ops is removed, with all tokens of that name, and from the group class; running jobs continue
No administrator who can log in is left in this file. Make one with "lab user add", "lab user role" or "lab user unlock", or name one in LAB_API_USER.
`,
    });
    expect(await lab(['user', 'list'], file)).toEqual({ code: 0, out: 'no users\n', said: '' });
  });

  test('are locked and unlocked', async () => {
    const file = freshFile();
    await lab(['user', 'add', 'ops', '--role', 'admin', '--no-password'], file);
    expect(await lab(['user', 'lock', 'ops'], file)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^ops is locked: .*\nNo administrator who can log in is left/),
    });
    expect((await lab(['user', 'list'], file)).out).toContain('admin (locked)');
    expect(await usersIn(file)).toEqual([expect.objectContaining({ isLocked: true })]);
    expect((await lab(['user', 'unlock', 'ops'], file)).said).toBe('ops is unlocked and can log in again\n');
    expect(readFileSync(file, 'utf8')).not.toContain('locked');
    expect(await lab(['user', 'lock', 'eve'], file)).toMatchObject({ code: 1 });
  });

  test('get another role, and the rest of the file stays', async () => {
    const text =
      'users:\n  - name: ops # Olga\n    role: admin # first of all\n    workdirs:\n      - /labs\n';
    const file = usersFile(root, text);
    const change = async (...args: string[]) => lab(['user', 'role', ...args], file);
    expect(await change('ops', 'operator')).toEqual({
      code: 0,
      out: '',
      said: `ops is operator now; what is open with the old role ends, and running jobs continue
No administrator who can log in is left in this file. Make one with "lab user add", "lab user role" or "lab user unlock", or name one in LAB_API_USER.
`,
    });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('admin', 'operator'));
    expect(await change('ops', 'operator')).toMatchObject({ code: 0, said: 'ops is operator already\n' });
    expect(await change('eva', 'viewer')).toMatchObject({
      code: 1,
      said: 'lab: there is no user "eva" in this file\n',
    });
    const { code, said } = await change('ops', 'root');
    expect([code, said]).toEqual([2, expect.stringContaining('Allowed choices are viewer, operator, admin')]);
    expect(readFileSync(file, 'utf8')).toBe(text.replace('admin', 'operator'));
  });

  test('who is there already is not asked for a password, nor who is not there', async () => {
    const file = usersFile(root, 'users: [{ name: eva, role: viewer }]\n');
    expect(await lab(['user', 'add', 'eva'], file)).toEqual({
      code: 1,
      out: '',
      said: 'lab: "eva" is there already; "lab user passwd" changes a password, "lab user role" a role\n',
    });
    expect(await lab(['user', 'passwd', 'ops'], file)).toEqual({
      code: 1,
      out: '',
      said: 'lab: there is no user "ops" in this file\n',
    });
  });

  test.each([
    [
      ['user', 'list'],
      2,
      'lab: the users file is unknown: give --file, or set LAB_API_USERS_FILE as for the service\n',
    ],
    [['user', 'add', 'a:b', '--file', 'x'], 2, 'lab: the name must not contain a colon\n'],
    [['user', 'add', 'a', '--file', 'x'], 2, 'lab: a password has at least 8 characters\n'],
    [
      ['user', 'add', 'a', '--file', 'x', '--password-file', 'absent'],
      2,
      'lab: --password-file: there is no file absent\n',
    ],
    [
      ['user', 'add', 'a', '--file', 'x', '--password-file', 'x', '--no-password'],
      2,
      'lab: --no-password and --password-file exclude each other\n',
    ],
    [
      ['user', 'list', '--file', '/no/users.yaml'],
      1,
      'lab: /no/users.yaml is not there; "lab user add" makes it\n',
    ],
    [
      ['token', 'create', '--user', 'ci', '--file', 'x', '--expires', '90'],
      2,
      'lab: --expires: "90" needs a unit: write 12h or 90d\n',
    ],
    [
      ['token', 'create', '--user', 'ci', '--file', 'x', '--expires', 'soon'],
      2,
      'lab: --expires: "soon" is not a duration: write 12h, 90d or never\n',
    ],
    [
      ['token', 'create', '--user', 'ci', '--file', 'x', '--expires', '100000d'],
      2,
      'lab: --expires: "100000d" is over 100 years: write never\n',
    ],
  ] as const)('lab %j is refused', async (args, code, said) => {
    expect(await lab(args, undefined)).toEqual({ code, out: '', said });
  });

  test('a password of two lines, or one that is too long, is none', async () => {
    const one = 'lab: a password is one line without control characters\n';
    expect(await lab(['user', 'add', 'a'], freshFile(), 'password\nanother\n')).toMatchObject({ said: one });
    const long = 'lab: a password has at most 1024 characters\n';
    expect(await lab(['user', 'add', 'a'], freshFile(), 'x'.repeat(1025))).toMatchObject({ said: long });
  });

  const { missing, file: script } = requirement('script');
  const because = missing === undefined ? '' : ` (skipped: ${missing})`;
  (missing === undefined ? test : test.skip).each([
    ['the same twice', ['geheim 123', 'geheim 123'], 0, 'eva is a user now: viewer'],
    ['another one', ['geheim 123', 'geheim 124'], 2, 'the passwords differ; nothing was changed'],
    ['Ctrl-C', ['geheim 12', '\u0003'], 130, 'Repeat the password: '],
  ])(`a terminal is asked twice, and shows nothing: %s${because}`, async (_what, answers, code, said) => {
    const file = freshFile();
    const command = `'${process.execPath}' '${builtProgram}' user add eva --file '${file}'`;
    const child = spawn(script, ['-qefc', command, '/dev/null'], { env: bareShell, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = once(child, 'close');
    await eventually('the question', () => output.includes('Password: '));
    child.stdin.write(`${answers[0]}\r`);
    await eventually('the second question', () => output.includes('Repeat the password: '));
    child.stdin.write(`${answers[1]}\r`);
    expect(await exit).toEqual([code, null]);
    expect(output).toContain(said);
    expect(output).not.toContain('geheim');
  });
});

describe('tokens', () => {
  test('are made, their secret on standard output alone; listed; revoked', async () => {
    const file = usersFile(root, '# ours\nusers:\n  - { name: ci, role: operator }\n');
    const { code, out, said } = await lab(
      ['token', 'create', '--user', 'ci', '--expires', '90d', '--note', 'nightly'],
      file,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^tok_[0-9a-f]{8}_[A-Za-z0-9_-]{43}\n$/);
    const id = out.slice(0, 12);
    expect(said).toMatch(
      new RegExp(
        `^The token ${id} of ci; it expires at 20[\\dT:.-]+Z\\. Save it now: it is not shown again\\.\n$`,
      ),
    );
    const [user] = await usersIn(file);
    expect(user?.tokens).toMatchObject([{ id, sha256: sha256Of(out.trim()), note: 'nightly' }]);
    expect(readFileSync(file, 'utf8')).not.toContain(out.trim());
    expect(readFileSync(file, 'utf8')).toMatch(/^# ours\n/);

    const listed = await lab(['token', 'list', '--user', 'ci', '-o', 'json'], file);
    expect(JSON.parse(listed.out)).toMatchObject([{ id, user: 'ci', note: 'nightly' }]);
    expect((await lab(['token', 'list'], file)).out).toMatch(
      new RegExp(`^${id} +ci +20\\S+Z +nightly$`, 'm'),
    );
    expect(await lab(['token', 'revoke', id], file)).toEqual({
      code: 0,
      out: '',
      said: `${id} of ci is revoked\n`,
    });
    expect(await lab(['token', 'list'], file)).toEqual({ code: 0, out: 'no tokens\n', said: '' });
    expect(await lab(['token', 'revoke', id], file)).toEqual({
      code: 1,
      out: '',
      said: `lab: there is no token "${id}" in this file\n`,
    });
    expect(await lab(['token', 'create', '--user', 'eva'], file)).toEqual({
      code: 1,
      out: '',
      said: 'lab: there is no user "eva" in this file\n',
    });
  });
});

describe('the service', () => {
  test('does not start with a file that others may write, or that is broken: a line for each problem, exit 2', async () => {
    const file = usersFile(root, 'users: [{ name: eva }, { name: eva, role: x }]\n');
    const ground = makeGround();
    const start = async (): Promise<{ code: number | null; output: string }> => {
      const run = runProgram(['api'], { ...ground.env, LAB_API_USERS_FILE: file }, ground.root);
      return { code: await run.exit, output: run.output() };
    };
    expect(await start()).toEqual({
      code: 2,
      output: `lab api: LAB_API_USERS_FILE: ${file}: line 1: user "eva": role: must be one of viewer, operator, admin
lab api: LAB_API_USERS_FILE: ${file}: line 1: user "eva": role: must be one of viewer, operator, admin
`,
    });
    chmodSync(file, 0o666);
    expect(await start()).toEqual({
      code: 2,
      output: `lab api: LAB_API_USERS_FILE: ${file} may be written by others: run "chmod go-w" on it\n`,
    });
  });

  test('takes a change by itself, and with SIGHUP', async () => {
    const file = usersFile(root, 'users: []\n');
    const { run } = await startProgram({ env: { LAB_API_USERS_FILE: file } });
    await lab(['user', 'add', 'eva', '--no-password'], file);
    await run.prints(/the users file was read again/);
    // In the file itself: nobody may have told the watch.
    writeFileSync(file, 'users: [{ name: eva }]\n');
    run.child.kill('SIGHUP');
    await run.prints(/the users file is of no use; the users stay who they were/);
  });
});

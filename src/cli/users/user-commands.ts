/** `lab user`: who may use the service, in the users file. The service reads it again by itself. */
import { Argument, type Command, Option } from 'commander';
import path from 'node:path';
import { roles, type Role } from '../../access/model/role.ts';
import type { User } from '../../access/model/user.ts';
import { collect, printJson, withOutput } from '../remote/jobs.ts';
import { UsageError } from '../remote/server.ts';
import { asColumns, harmless } from '../remote/tables.ts';
import { newPassword } from './ask-password.ts';
import { addKeyCommands } from './key-commands.ts';
import { tokenAsJson } from './token-commands.ts';
import { endWithFile, say, usersFileOf, withUsersFile, type FileOption } from './users-file-option.ts';

interface AddOptions extends FileOption {
  readonly role: Role;
  readonly workdir?: readonly string[];
  /** Commander has one name for --password-file and another for --no-password. */
  readonly passwordFile?: string;
  readonly password: boolean;
}

const passwordFile = new Option(
  '--password-file <file>',
  'file with the password; - for standard input (the default without a terminal)',
);

async function hashOfNew({ password, passwordFile: file }: AddOptions): Promise<string | undefined> {
  if (!password && file !== undefined)
    throw new UsageError('--no-password and --password-file exclude each other');
  if (!password) return undefined;
  const { hashPassword } = await import('../../access/passwords/password-hash.ts');
  return hashPassword(await newPassword(file));
}

async function addUser(name: string, options: AddOptions): Promise<void> {
  const file = await usersFileOf(options);
  const { userNameProblem } = await import('../../access/users/users-schema.ts');
  // Checked before the user types a password twice.
  const problem = userNameProblem(name);
  if (problem !== undefined) throw new UsageError(`the name ${problem}`);
  const relative = options.workdir?.find((directory) => !path.isAbsolute(directory));
  if (relative !== undefined) throw new UsageError(`--workdir must be an absolute path: ${relative}`);
  const [{ editUsersFile, usersIn }, change] = await edits();
  // A missing file is not an error; other errors are reported below.
  const before = await usersIn(file).catch(() => []);
  if (before.some((user) => user.name === name)) throw change.alreadyThere(name);
  const { role, workdir: workdirs = null } = options;
  const user = { name, role, workdirs, password: await hashOfNew(options) };
  const { isNew } = await editUsersFile(file, (document) => change.addUser(document, user), {
    isMadeWhenAbsent: true,
  });
  const how = user.password === undefined ? ', without a password: "lab token create" lets a program in' : '';
  say(`${name} is a user now: ${role}${how}`);
  if (isNew && process.getuid?.() === 0)
    say(
      `${file} is new, and only its owner can read it. If the service runs as another user, give the file its group: chgrp, chmod 640.`,
    );
}

const edits = async () =>
  Promise.all([
    import('../../access/users/edit-users-file.ts'),
    import('../../access/users/change-users.ts'),
  ]);

async function changePassword(name: string, options: FileOption & { passwordFile?: string }): Promise<void> {
  const file = await usersFileOf(options);
  const [{ editUsersFile, usersIn }, change] = await edits();
  // Checked before the user types a password twice.
  if (!(await usersIn(file)).some((user) => user.name === name)) throw change.noSuchUser(name);
  const { hashPassword } = await import('../../access/passwords/password-hash.ts');
  const hash = await hashPassword(await newPassword(options.passwordFile));
  await editUsersFile(file, (document) => change.changeUser(document, name, { password: hash }));
  say(`${name} has a new password; sessions that used the old one have ended`);
}

async function removeUser(name: string, options: FileOption): Promise<void> {
  const [{ editUsersFile }, change] = await edits();
  const { users, result: left } = await editUsersFile(await usersFileOf(options), (document) =>
    change.removeUser(document, name),
  );
  const groups =
    left.length === 0
      ? ''
      : `, and from ${left.length === 1 ? 'the group' : 'the groups'} ${left.join(', ')}`;
  say(`${name} is removed, with all tokens of that name${groups}; running jobs continue`);
  warnWithoutAdministrator(users);
}

function warnWithoutAdministrator(users: readonly User[]): void {
  if (!users.some(({ role, isLocked }) => role === 'admin' && !isLocked))
    say(
      'No administrator who can log in is left in this file. Make one with "lab user add", "lab user role" or "lab user unlock", or name one in LAB_API_USER.',
    );
}

async function changeRole(name: string, role: Role, options: FileOption): Promise<void> {
  const [{ editUsersFile, usersIn }, change] = await edits();
  const file = await usersFileOf(options);
  const before = (await usersIn(file)).find((user) => user.name === name)?.role;
  if (before === role) return say(`${name} is ${role} already`);
  const { users } = await editUsersFile(file, (document) => change.changeUser(document, name, { role }));
  say(`${name} is ${role} now; what is open with the old role ends, and running jobs continue`);
  if (before === 'admin') warnWithoutAdministrator(users);
}

async function lockUser(name: string, locked: true | null, options: FileOption): Promise<void> {
  const [{ editUsersFile }, change] = await edits();
  const { users } = await editUsersFile(await usersFileOf(options), (document) =>
    change.changeUser(document, name, { locked }),
  );
  const isAdministrator = users.some((user) => user.name === name && user.role === 'admin');
  say(
    locked
      ? `${name} is locked: what is open ends, and running jobs continue`
      : `${name} is unlocked and can log in again`,
  );
  if (locked && isAdministrator) warnWithoutAdministrator(users);
}

function kindOfPassword({ password }: User): 'scrypt' | 'bcrypt' | null {
  if (password?.kind !== 'hash') return null;
  return password.hash.startsWith('$scrypt$') ? 'scrypt' : 'bcrypt';
}

function asJson(user: User): object {
  const { name, role, tokens, workdirs, isLocked = false } = user;
  const password = kindOfPassword(user);
  return { name, role, password, tokens: tokens.map(tokenAsJson), workdirs, locked: isLocked };
}

async function listUsers({ output, ...options }: FileOption & { output: 'table' | 'json' }): Promise<void> {
  const [{ usersIn }] = await edits();
  const users = await usersIn(await usersFileOf(options));
  if (output === 'json') return printJson(users.map(asJson));
  const rows = users.map((user) => [
    harmless(user.name),
    user.isLocked ? `${user.role} (locked)` : user.role,
    kindOfPassword(user) ?? '-',
    String(user.tokens.length),
    user.workdirs === null ? 'any' : harmless(user.workdirs.join(', ')) || 'none',
  ]);
  const table = await asColumns(['NAME', 'ROLE', 'PASSWORD', 'TOKENS', 'WORKDIRS'], rows);
  process.stdout.write(users.length === 0 ? 'no users\n' : table);
}

const theName = (): Argument => new Argument('<name>', 'name of the user');

function addAddCommand(user: Command): void {
  withUsersFile(user.command('add').description('add a user; asks for the password'))
    .addArgument(theName())
    .addOption(new Option('--role <role>', 'role of the user').choices(roles).default('viewer'))
    .option('--workdir <directory>', 'restrict the user to this directory; may be repeated', collect)
    .addOption(passwordFile)
    .option('--no-password', 'for users who have only tokens, or log in through a proxy')
    .action(async (name: string, options: AddOptions, command: Command) =>
      endWithFile(command, async () => addUser(name, options)),
    );
}

export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('manage the users file of a lab-api service')
    .addHelpText('after', '\nThe service reads the file again after each change: docs/access.md.');
  addAddCommand(user);
  withOutput(withUsersFile(user.command('list').description('list the users'))).action(
    async (options: FileOption & { output: 'table' | 'json' }, command: Command) =>
      endWithFile(command, async () => listUsers(options)),
  );
  withUsersFile(user.command('passwd').description('change the password of a user'))
    .addArgument(theName())
    .addOption(passwordFile)
    .action(async (name: string, options: FileOption & { passwordFile?: string }, command: Command) =>
      endWithFile(command, async () => changePassword(name, options)),
    );
  withUsersFile(user.command('role').description('change the role of a user'))
    .addArgument(theName())
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .action(async (name: string, role: Role, options: FileOption, command: Command) =>
      endWithFile(command, async () => changeRole(name, role, options)),
    );
  for (const [verb, locked, effect] of [
    ['lock', true, 'keep a user from logging in; tokens, jobs and labs stay'],
    ['unlock', null, 'let a locked user log in again'],
  ] as const)
    withUsersFile(user.command(verb).description(effect))
      .addArgument(theName())
      .action(async (name: string, options: FileOption, command: Command) =>
        endWithFile(command, async () => lockUser(name, locked, options)),
      );
  addKeyCommands(user);
  withUsersFile(user.command('remove').description('remove a user, with all tokens and from all groups'))
    .addArgument(theName())
    .action(async (name: string, options: FileOption, command: Command) =>
      endWithFile(command, async () => removeUser(name, options)),
    );
}

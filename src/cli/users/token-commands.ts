/** `lab token`: secrets for programs, each of a user of the users file. */
import type { Command } from 'commander';
import type { Token, User } from '../../access/model/user.ts';
import { isWithoutUnit, parseDuration } from '../../lib/text/duration.ts';
import { printJson, withOutput } from '../remote/jobs.ts';
import { UsageError } from '../remote/server.ts';
import { asColumns, harmless } from '../remote/tables.ts';
import { endWithFile, say, usersFileOf, withUsersFile, type FileOption } from './users-file-option.ts';

interface CreateOptions extends FileOption {
  readonly user: string;
  readonly expires?: string;
  readonly note?: string;
}

interface ListOptions extends FileOption {
  readonly output: 'table' | 'json';
  readonly user?: string;
}

/** 100 years, as good as for ever. */
const longestMs = 36_525 * 86_400_000;

function expiryOf(expires: string | undefined, nowMs: number): number | null {
  if (expires === undefined || expires === 'never') return null;
  // A bare number would be seconds, and is meant as days.
  if (isWithoutUnit(expires)) throw new UsageError(`--expires: "${expires}" needs a unit: write 12h or 90d`);
  const ms = parseDuration(expires);
  if (ms !== undefined && ms > longestMs)
    throw new UsageError(`--expires: "${expires}" is over 100 years: write never`);
  if (ms !== undefined && ms > 0) return nowMs + ms;
  throw new UsageError(`--expires: "${expires}" is not a duration: write 12h, 90d or never`);
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export function tokenAsJson({ id, note, expiresAtMs }: Token): object {
  return { id, note, expiresAt: timeOf(expiresAtMs) };
}

async function createToken({ user, expires, note, ...options }: CreateOptions): Promise<void> {
  const file = await usersFileOf(options);
  const expiresAtMs = expiryOf(expires, Date.now());
  const [{ editUsersFile }, { addToken, newToken }] = await Promise.all([
    import('../../access/users/edit-users-file.ts'),
    import('../../access/users/change-users.ts'),
  ]);
  const { token, secret } = newToken({ note: note ?? null, expiresAtMs });
  await editUsersFile(file, (document) => addToken(document, user, token));
  const until = expiresAtMs === null ? 'it never expires' : `it expires at ${timeOf(expiresAtMs)}`;
  say(`The token ${token.id} of ${user}; ${until}. Save it now: it is not shown again.`);
  process.stdout.write(`${secret}\n`);
}

function row({ name }: User, { id, note, expiresAtMs }: Token, nowMs: number): string[] {
  const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
  return [
    id,
    harmless(name),
    `${timeOf(expiresAtMs) ?? 'never'}${isOver ? ' (over)' : ''}`,
    harmless(note ?? ''),
  ];
}

async function listTokens({ output, user: only, ...options }: ListOptions): Promise<void> {
  const { usersIn } = await import('../../access/users/edit-users-file.ts');
  const all = await usersIn(await usersFileOf(options));
  const users = all.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && users.length === 0) throw new UsageError(`--user: there is no user "${only}"`);
  const found = users.flatMap((user) => user.tokens.map((token) => ({ user, token })));
  if (output === 'json')
    return printJson(found.map(({ user, token }) => ({ ...tokenAsJson(token), user: user.name })));
  const nowMs = Date.now();
  const rows = found.map(({ user, token }) => row(user, token, nowMs));
  const table = await asColumns(['ID', 'USER', 'EXPIRES', 'NOTE'], rows);
  process.stdout.write(rows.length === 0 ? 'no tokens\n' : table);
}

async function revokeTokens(ids: readonly string[], options: FileOption): Promise<void> {
  const [{ editUsersFile }, { removeToken }] = await Promise.all([
    import('../../access/users/edit-users-file.ts'),
    import('../../access/users/change-users.ts'),
  ]);
  const { result: names } = await editUsersFile(await usersFileOf(options), (document) =>
    ids.map((id) => removeToken(document, id)),
  );
  for (const [at, id] of ids.entries()) say(`${id} of ${names[at]} is revoked`);
}

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description('manage the tokens in the users file of a lab-api service')
    .addHelpText('after', '\nThe file has only the SHA-256 of each token: docs/access.md.');
  withUsersFile(token.command('create').description('create a token, and print its secret once'))
    .requiredOption('--user <name>', 'user of the token')
    .option(
      '--expires <time>',
      'time until the token expires, with a unit: 12h, 90d; default: never',
      undefined,
    )
    .option('--note <text>', 'purpose of the token')
    .action(async (options: CreateOptions, command: Command) =>
      endWithFile(command, async () => createToken(options)),
    );
  withOutput(withUsersFile(token.command('list').description('list the tokens, without their secrets')))
    .option('--user <name>', 'only tokens of this user')
    .action(async (options: ListOptions, command: Command) =>
      endWithFile(command, async () => listTokens(options)),
    );
  withUsersFile(token.command('revoke').description('revoke tokens'))
    .argument('<id...>')
    .action(async (ids: string[], options: FileOption, command: Command) =>
      endWithFile(command, async () => revokeTokens(ids, options)),
    );
}

/** `lab user key`: the public keys with which a user logs in over SSH. */
import { Argument, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/app-error.ts';
import { readRegularFile } from '../../lib/files/read-regular-file.ts';
import { printJson, withOutput } from '../remote/jobs.ts';
import { UsageError } from '../remote/server.ts';
import { asColumns, harmless } from '../remote/tables.ts';
import { endWithFile, say, usersFileOf, withUsersFile, type FileOption } from './users-file-option.ts';

const edits = async () =>
  Promise.all([
    import('../../access/users/edit-users-file.ts'),
    import('../../access/users/change-users.ts'),
  ]);

/** The keys of a `.pub` file, or of several in one. @throws UsageError */
function linesIn(file: string): readonly string[] {
  let text: string;
  try {
    text = (file === '-' ? readFileSync(0) : readRegularFile(file)).toString('utf8');
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new UsageError(`${file} has no key: give the .pub file`);
  return lines;
}

async function addKeys(name: string, source: string, options: FileOption): Promise<void> {
  const file = await usersFileOf(options);
  const { parseSshKey } = await import('../../lib/net/ssh-key.ts');
  const lines = linesIn(source);
  const keys = lines.map((line) => {
    const parsed = parseSshKey(line);
    if ('problem' in parsed) throw new UsageError(`the key in ${source} ${parsed.problem}`);
    return parsed;
  });
  const [{ editUsersFile }, change] = await edits();
  await editUsersFile(file, (document) => {
    for (const line of lines) change.addKey(document, name, line);
  });
  for (const { fingerprint } of keys) say(`${name} can log in over SSH with ${fingerprint}`);
}

async function listKeys(
  name: string,
  { output, ...options }: FileOption & { output: 'table' | 'json' },
): Promise<void> {
  const [{ usersIn }, change] = await edits();
  const user = (await usersIn(await usersFileOf(options))).find((one) => one.name === name);
  if (user === undefined) throw change.noSuchUser(name);
  const keys = (user.keys ?? []).map(({ type, fingerprint, comment }) => ({ fingerprint, type, comment }));
  if (output === 'json') return printJson(keys);
  const rows = keys.map(({ fingerprint, type, comment }) => [fingerprint, type, harmless(comment)]);
  const table = await asColumns(['FINGERPRINT', 'TYPE', 'COMMENT'], rows);
  process.stdout.write(rows.length === 0 ? 'no keys\n' : table);
}

async function removeKey(name: string, fingerprint: string, options: FileOption): Promise<void> {
  const [{ editUsersFile }, change] = await edits();
  await editUsersFile(await usersFileOf(options), (document) =>
    change.removeKey(document, name, fingerprint),
  );
  say(`${name} cannot log in with ${fingerprint} any more; connections that did have ended`);
}

export function addKeyCommands(user: Command): void {
  const name = (): Argument => new Argument('<name>', 'name of the user');
  const key = user.command('key').description('manage the keys with which a user logs in over SSH');
  withUsersFile(key.command('add').description('let a user log in with a public key'))
    .addArgument(name())
    .addArgument(new Argument('<key>', 'the .pub file; - for standard input'))
    .action(async (who: string, source: string, options: FileOption, command: Command) =>
      endWithFile(command, async () => addKeys(who, source, options)),
    );
  withOutput(withUsersFile(key.command('list').description('list the keys of a user')))
    .addArgument(name())
    .action(async (who: string, options: FileOption & { output: 'table' | 'json' }, command: Command) =>
      endWithFile(command, async () => listKeys(who, options)),
    );
  withUsersFile(key.command('remove').description('take a key from a user'))
    .addArgument(name())
    .addArgument(new Argument('<fingerprint>', 'as "lab user key list" shows it'))
    .action(async (who: string, fingerprint: string, options: FileOption, command: Command) =>
      endWithFile(command, async () => removeKey(who, fingerprint, options)),
    );
}

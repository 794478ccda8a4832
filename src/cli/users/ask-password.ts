/** A new password: from a file, from standard input, or from the person at the terminal. Never from the arguments, which all see. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { newPasswordLength } from '../../access/model/user.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { secretIn, UsageError } from '../remote/server.ts';

function checked(password: string): string {
  const { length } = password;
  const { min, max } = newPasswordLength;
  if (length < min) throw new UsageError(`a password has at least ${min} characters`);
  if (length > max) throw new UsageError(`a password has at most ${max} characters`);
  // Users could not type it, and a file with control characters is usually the wrong file.
  if (/\p{Cc}/u.test(password)) throw new UsageError('a password is one line without control characters');
  return password;
}

/** Ctrl-C and Ctrl-D. */
const interruptedCode = 130;

async function ask(terminal: Interface, question: string): Promise<string> {
  process.stderr.write(question);
  const answer = deferred<string>();
  terminal.once('line', answer.resolve);
  const line = await answer.promise;
  // The Return of the person was not shown either.
  process.stderr.write('\n');
  return line;
}

/** Asks twice without showing the input, because a mistyped password would lock the user out. */
async function askTwice(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  const giveUp = (): void => {
    process.stderr.write('\n');
    terminal.close();
    process.exit(interruptedCode);
  };
  terminal.on('SIGINT', giveUp).on('close', giveUp);
  try {
    const password = checked(await ask(terminal, 'Password: '));
    if ((await ask(terminal, 'Repeat the password: ')) !== password)
      throw new UsageError('the passwords differ; nothing was changed');
    return password;
  } finally {
    terminal.off('close', giveUp).close();
  }
}

/** @throws UsageError */
export async function newPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) return checked(secretIn(file, '--password-file'));
  return process.stdin.isTTY ? askTwice() : checked(secretIn('-', '--password-file'));
}

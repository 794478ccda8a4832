/** Parts that the commands for the users file share. */
import type { Command } from 'commander';
import { UsersFileError } from '../../access/users/users-file-error.ts';
import type { Environment } from '../../config/config.ts';
import { complain, endWith } from '../remote/ending.ts';
import { UsageError } from '../remote/server.ts';

export interface FileOption {
  readonly file?: string;
}

export function withUsersFile(command: Command): Command {
  return command.option('--file <file>', 'the users file (LAB_API_USERS_FILE)');
}

/** The variables of the service, as the environment has them and names their file. @throws UsageError */
async function serviceVariables(): Promise<Environment> {
  if (!process.env['LAB_API_SETTINGS_FILE']) return process.env;
  const { withSettingsFile } = await import('../../config/settings-file.ts');
  const { env, problem } = withSettingsFile(process.env);
  if (problem !== undefined) throw new UsageError(problem);
  return env;
}

/** @throws UsageError */
export async function usersFileOf({ file }: FileOption): Promise<string> {
  const named = file ?? (await serviceVariables())['LAB_API_USERS_FILE'];
  if (named) return named;
  throw new UsageError(
    'the users file is unknown: give --file, or set LAB_API_USERS_FILE as for the service',
  );
}

/** Runs a command; what is wrong with the file becomes sentences and exit code 1. */
export async function endWithFile(command: Command, action: () => Promise<void>): Promise<void> {
  await endWith(command, async () => {
    try {
      await action();
      return 0;
    } catch (error) {
      if (!(error instanceof UsersFileError)) throw error;
      for (const problem of error.problems) complain(problem);
      return 1;
    }
  });
}

/** Prints a message for a person on standard error; standard output is for programs. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The user that runs jobs: LAB_API_JOB_USER, or the user of the service. */
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import { findJobUser, type JobUser } from '../labs/program/job-user.ts';
import { openToJobUser } from '../labs/program/open-to-job-user.ts';
import { messageOf } from '../lib/app-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined for the service's own. @throws ConfigError when jobs cannot run as that user. */
export function createJobUser({ jobUser }: Config, env: Environment): JobUser | undefined {
  try {
    return jobUser === undefined ? undefined : findJobUser(jobUser, env);
  } catch (error) {
    throw new ConfigError([messageOf(error)]);
  }
}

/** Gives that user what is for it; the directories are there already. @throws ConfigError */
export async function openJobUser(user: JobUser | undefined, directories: readonly string[]): Promise<void> {
  if (user === undefined) return;
  await openToJobUser(directories, user).catch((error: unknown) => {
    throw new ConfigError([messageOf(error)]);
  });
}

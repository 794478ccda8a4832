/** Opens the way for the user of jobs to the topologies of jobs and to the workspaces. */
import { chmod, chown, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { JobUser } from './job-user.ts';
import { runCaptured } from '../system/run.ts';

/** The service's own directories, and those that were opened before, perhaps to another user. */
const ownModes = [0o700, 0o710];
const lookTimeoutMs = 10_000;

/** Prints those that the user may replace something in: one of its own, or one that it may write to and that is not sticky. */
const printWritable =
  'for one; do if [ -O "$one" ] || { [ -w "$one" ] && [ ! -k "$one" ]; }; then echo "$one"; fi; done';
const printClosed = 'for one; do [ -x "$one" ] || echo "$one"; done';

/** Its group may pass through but not list it. A directory that an administrator made with another mode keeps it. */
async function open(directory: string, gid: number): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid !== 0 || !ownModes.includes(mode & 0o777)) return;
  await chown(directory, 0, gid);
  await chmod(directory, 0o710);
}

/** The directory, and all that it is in. */
function withUpper(directory: string): readonly string[] {
  const upper = path.dirname(directory);
  return upper === directory ? [directory] : [...withUpper(upper), directory];
}

/** Has a script of the shell look at directories as the user; gives the first that it prints. */
async function firstSeen(
  { commandPrefix: [setpriv = '', ...prefix] }: JobUser,
  script: string,
  directories: readonly string[],
): Promise<string | undefined> {
  const args = [...prefix, '/bin/sh', '-c', script, 'sh', ...directories];
  const { exitCode, stdout, stderr, spawnError } = await runCaptured(setpriv, args, {
    env: {},
    timeoutMs: lookTimeoutMs,
  });
  if (stdout.length > 0) return stdout.toString('utf8').split('\n')[0];
  if (exitCode !== 0 || stderr.length > 0) {
    // An empty list is valid only if the search has finished.
    const why = spawnError ?? (stderr.toString('utf8').trim() || `it ended with ${exitCode ?? 'a signal'}`);
    throw new Error(`LAB_API_JOB_USER: nothing can be run as this user: ${why}`);
  }
  return undefined;
}

/**
 * `directories` are the service's own, the outer ones first; the user has to come through each of them, and must not be able
 * to put another one in the place of any: root would write there.
 * @throws Error with one sentence.
 */
export async function openToJobUser(directories: readonly string[], user: JobUser): Promise<void> {
  const real = await Promise.all(directories.map(async (directory) => realpath(directory)));
  const programs = await Promise.all(user.programs.map(async (file) => realpath(file)));
  const given = [...directories, ...user.programs].map((place) => path.resolve(place));
  const places = [...given, ...real, ...programs];
  const writable = await firstSeen(user, printWritable, [...new Set(places.flatMap(withUpper))]);
  if (writable !== undefined)
    throw new Error(
      `LAB_API_JOB_USER: "${user.name}" may write to ${writable}, and so replace what the service keeps or runs there: choose another place (LAB_API_DATA_DIR, LAB_API_WORKSPACES_DIR, PATH)`,
    );
  for (const directory of real) await open(directory, user.gid);
  const closed = await firstSeen(user, printClosed, real);
  if (closed !== undefined)
    throw new Error(
      `LAB_API_JOB_USER: "${user.name}" cannot enter ${closed}: choose a directory that other users can enter (LAB_API_DATA_DIR, LAB_API_WORKSPACES_DIR)`,
    );
}

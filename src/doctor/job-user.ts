import { readFileSync } from 'node:fs';
import { environmentFor, findJobUser, type JobUser } from '../labs/program/job-user.ts';
import { messageOf } from '../lib/app-error.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { ask } from './program.ts';

type Found = { readonly user: JobUser } | { readonly problem: string } | undefined;

function find({ config, env }: Subject): Found {
  if (config.jobUser === undefined) return undefined;
  try {
    return { user: findJobUser(config.jobUser, env) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** How to run what jobs run: as their user, with that one's environment. */
export function asJobs(subject: Subject): Pick<Subject, 'env'> & { readonly words: readonly string[] } {
  const found = find(subject);
  if (found === undefined || 'problem' in found) return { env: subject.env, words: [] };
  return { env: environmentFor(found.user, subject.env), words: found.user.commandPrefix };
}

/** By the groups file of this machine; the user's own group counts too. */
function isInGroup({ name, gid }: JobUser, wanted: string): boolean {
  const lines = readFileSync('/etc/group', 'utf8').split('\n');
  const [, , id, members = ''] =
    lines.map((line) => line.split(':')).find(([group]) => group === wanted) ?? [];
  return Number(id) === gid || members.split(',').includes(name);
}

/** Whether jobs can run as LAB_API_JOB_USER, and whether that keeps them apart from root. */
export async function checkJobUser(subject: Subject): Promise<Finding> {
  const found = find(subject);
  if (found === undefined) return skipped('LAB_API_JOB_USER is not set: jobs run as the user of the service');
  if ('problem' in found)
    return failed(found.problem, 'correct it: the service does not start with this error (docs/access.md)');
  const { user } = found;
  const { roots } = subject.config;
  const looks = await Promise.all(
    roots.map(async (root) => ({ root, result: await ask('/usr/bin/test', ['-x', root], asJobs(subject)) })),
  );
  const closed = looks.filter(({ result }) => result.exitCode !== 0).map(({ root }) => root);
  if (closed.length > 0)
    return warning(
      `${user.name} cannot enter ${closed.join(', ')}`,
      'give the user access, or correct LAB_API_ROOTS',
    );
  if (isInGroup(user, 'docker'))
    return warning(
      `${user.name} is in the group docker, which is as good as root: jobs are not kept apart from the service`,
      'use the bundled engine, or accept it',
    );
  return ok(`${user.name} (uid ${user.uid}), home ${user.home}`);
}

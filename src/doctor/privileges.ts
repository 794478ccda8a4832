import { readFileSync, statSync } from 'node:fs';
import { privileges } from '../engine/system/privileges.ts';
import type { LabCli } from '../labs/drivers/lab-driver.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { labCliOf } from './lab-cli.ts';
import { asJobs } from './job-user.ts';
import { ask, complaint } from './program.ts';

/** Where the engine and `ip netns` keep what belongs to the running system. */
const runDir = '/run';

export async function checkPrograms(subject: Subject): Promise<Finding> {
  const needed = labCliOf(subject)?.driver.needs.programs ?? [];
  const isNeeded = needed.length > 0;
  // `flock` guards the data directory, too.
  const wanted = [...new Set([...needed, 'flock'])];
  const answers = await Promise.all(
    wanted.map(async (name) => ({ name, result: await ask(name, ['-V'], subject) })),
  );
  const missing = answers.filter(({ result }) => result.spawnError !== null).map(({ name }) => name);
  if (missing.length === 0) return ok(wanted.join(', '));
  const detail = `not on PATH: ${missing.join(', ')}`;
  const remedy = 'install iproute2 and util-linux';
  return isNeeded ? failed(detail, remedy) : warning(detail, remedy);
}

/** As the engine does it where it may not make namespaces by itself. */
async function checkUserNamespaces(subject: Subject, missing: string): Promise<Finding> {
  const result = await ask(
    'unshare',
    ['--user', '--map-root-user', '--net', '--mount', 'true'],
    asJobs(subject),
  );
  if (result.exitCode === 0) return ok(`user namespaces (without ${missing})`);
  return failed(
    `no ${missing}, and no user namespaces: ${complaint(result)}`,
    'run the service as root, or allow user namespaces (sysctl user.max_user_namespaces, ' +
      'kernel.apparmor_restrict_unprivileged_userns=0)',
  );
}

/** The service has no terminal to type a password. */
async function checkSudo(subject: Subject): Promise<Finding> {
  const result = await ask('sudo', ['-n', 'true'], asJobs(subject));
  if (result.exitCode === 0) return ok('sudo works without a password');
  return warning(
    `the user is not root, and sudo does not work without a password: ${complaint(result)}`,
    'run the service as root, or let its user call sudo without a password (NOPASSWD)',
  );
}

/** The bit of a program that runs as its owner (chmod(2)). */
const suidBit = 0o4000;

async function checkSuid(subject: Subject, { name, file }: LabCli, group: string): Promise<Finding> {
  const { uid, mode } = statSync(file);
  if (uid !== 0 || (mode & suidBit) === 0)
    return failed(
      `the user is not root, and ${file} is not SUID root`,
      `run the service as root, or ${name} as SUID root`,
    );
  const isThere = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`${group}:`));
  const result = await ask('id', ['-nG'], asJobs(subject));
  if (isThere && !result.stdout.toString('utf8').trim().split(' ').includes(group))
    return failed(`the user is not in the group ${group}, which may use ${name}`, `add the user to ${group}`);
  return ok(`${file} is SUID root`);
}

/** Whether this user may do what the lab CLI does. */
export async function checkPrivileges(subject: Subject): Promise<Finding> {
  const cli = labCliOf(subject);
  if (cli === undefined) return skipped('there is no lab CLI');
  const { rights } = cli.driver.needs;
  const isRoot = process.getuid?.() === 0 && subject.config.jobUser === undefined;
  if (rights !== 'namespaces' && isRoot) return ok('root');
  const runsInNamespaces = cli.environment?.['LAB_RUNTIME'] === 'namespaces';
  if (rights === 'sudo')
    return runsInNamespaces && subject.config.jobUser === undefined
      ? checkUserNamespaces(subject, 'root')
      : checkSudo(subject);
  if (rights !== 'namespaces') return checkSuid(subject, cli, rights.suidFor);
  if (subject.config.jobUser !== undefined) return checkUserNamespaces(subject, 'privileges');
  const { isEnough, missing } = privileges(runDir);
  return isEnough ? ok('CAP_NET_ADMIN and CAP_SYS_ADMIN') : checkUserNamespaces(subject, missing);
}

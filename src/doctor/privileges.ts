import { privileges } from '../engine/system/privileges.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { usesEngine } from './lab-cli.ts';
import { asJobs } from './job-user.ts';
import { ask, complaint } from './program.ts';

/** What the bundled engine calls (docs/engine.md); `flock` also guards the data directory. */
const enginePrograms = ['ip', 'nsenter', 'unshare', 'flock'] as const;

/** Where the engine and `ip netns` keep what belongs to the running system. */
const runDir = '/run';

export async function checkPrograms(subject: Subject): Promise<Finding> {
  const isNeeded = usesEngine(subject) === true;
  const wanted = isNeeded ? enginePrograms : (['flock'] as const);
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

/** netlab calls `sudo` for containerlab and for bridges, and nobody is there to type a password. */
async function checkSudo(subject: Subject): Promise<Finding> {
  const result = await ask('sudo', ['-n', 'true'], asJobs(subject));
  if (result.exitCode === 0) return ok('sudo works without a password');
  return warning(
    `the user is not root, and sudo does not work without a password: ${complaint(result)}`,
    'run the service as root, or let its user call sudo without a password (NOPASSWD)',
  );
}

/** Whether this user may do what the lab CLI does: make network namespaces. */
export async function checkPrivileges(subject: Subject): Promise<Finding> {
  const isEngine = usesEngine(subject);
  if (isEngine === undefined) return skipped('there is no lab CLI');
  const isRoot = process.getuid?.() === 0 && subject.config.jobUser === undefined;
  if (!isEngine) return isRoot ? ok('root') : checkSudo(subject);
  if (subject.config.jobUser !== undefined) return checkUserNamespaces(subject, 'privileges');
  const { isEnough, missing } = privileges(runDir);
  return isEnough ? ok('CAP_NET_ADMIN and CAP_SYS_ADMIN') : checkUserNamespaces(subject, missing);
}

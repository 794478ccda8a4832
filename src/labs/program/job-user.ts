/**
 * The user that the lab CLI runs as when that is not the service's own (LAB_API_JOB_USER). The service is root then: it signals
 * that user's processes, reads their marks in /proc, and starts them with setpriv(1), which is gone once the lab CLI runs. With
 * `sudo` it could not keep its promises: that drops LAB_JOB_ID, and what it started cannot be signaled by its caller.
 */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../lib/files/package-root.ts';
import { findProgram } from '../drivers/find-program.ts';
import type { Environment } from '../drivers/lab-driver.ts';

export interface JobUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** The command line in front of another one that runs that one as this user. */
  readonly commandPrefix: readonly string[];
  /** Files and directories that root runs for the service, and that this user must not be able to replace. */
  readonly programs: readonly string[];
}

/** Variables of root's session, which another user must not get. */
const ofSession = /^(XDG_|SSH_|SUDO_|DBUS_|GPG_|MAIL$|OLDPWD$)/;

/** The fields of passwd(5); it has users of a directory service only if an administrator added them. */
function entryOf(name: string): readonly string[] | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([found]) => found === name);
}

function isHome(home: string): boolean {
  try {
    return path.isAbsolute(home) && statSync(home).isDirectory();
  } catch {
    return false;
  }
}

/** Without this (sysctl fs.protected_hardlinks), any user could give a second name to a file of root's, which root then reads. */
function areLinksProtected(): boolean {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() !== '0';
  } catch {
    return false;
  }
}

/** capabilities(7): for files, for users, to signal others' processes, and to read the marks of theirs. */
const needed = { CHOWN: 0, DAC_OVERRIDE: 1, FOWNER: 3, KILL: 5, SETGID: 6, SETUID: 7, SYS_PTRACE: 19 };

/** Those that a process does not have, by its `/proc/<pid>/status` (proc(5)): a container may have taken them from root. */
export function missingCapabilities(status: string): readonly string[] {
  const [, mask = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  const effective = BigInt(`0x${mask}`);
  const isMissing = ([, bit]: readonly [string, number]): boolean => ((effective >> BigInt(bit)) & 1n) === 0n;
  return Object.entries(needed)
    .filter(isMissing)
    .map(([name]) => `CAP_${name}`);
}

/** setpriv keeps root's capabilities until it has started something: what the user may not run must not be that. */
const asUser = ['/bin/sh', '-c', 'exec "$@"', 'lab'];

/** @throws Error with one sentence about LAB_API_JOB_USER. */
export function findJobUser(name: string, env: Environment): JobUser {
  const fail = (why: string): never => {
    throw new Error(`LAB_API_JOB_USER: ${why}`);
  };
  if (process.getuid?.() !== 0)
    fail('only root can run jobs as another user: run the service as root, or leave it out');
  const missing = missingCapabilities(readFileSync('/proc/self/status', 'utf8'));
  if (missing.length > 0) fail(`needs ${missing.join(', ')}, which root does not have here`);
  const setpriv = findProgram('setpriv', env)?.file ?? fail('needs setpriv on PATH: install util-linux');
  const [, , uid = '', gid = '', , home = ''] =
    entryOf(name) ?? fail(`there is no user "${name}" in /etc/passwd`);
  if (Number(uid) === 0) fail(`"${name}" is root, whom jobs are to be kept apart from`);
  if (!isHome(home)) fail(`"${name}" has no home directory (${home}), where the lab CLI keeps its labs`);
  if (!areLinksProtected()) fail('is not safe here: set the sysctl fs.protected_hardlinks to 1');
  const rights = ['--reuid', uid, '--regid', gid, '--init-groups', '--inh-caps', '-all', '--'];
  const commandPrefix = [setpriv, ...rights, ...asUser];
  const flock = findProgram('flock', env)?.file;
  const programs = [process.execPath, packageFile('.'), setpriv, ...(flock === undefined ? [] : [flock])];
  return { name, uid: Number(uid), gid: Number(gid), home, commandPrefix, programs };
}

/** The service's environment as that of the job's user. */
export function environmentFor({ name, home }: JobUser, env: Environment): Environment {
  const kept = Object.entries(env).filter(([variable]) => !ofSession.test(variable));
  return { ...Object.fromEntries(kept), HOME: home, USER: name, LOGNAME: name };
}

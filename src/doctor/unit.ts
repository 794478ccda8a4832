import { existsSync, readFileSync } from 'node:fs';
import { livingOwner } from '../jobs/store/data-dir-owner.ts';
import { failed, ok, skipped, type Finding, type Subject } from './finding.ts';
import { ask, complaint } from './program.ts';

interface Unit {
  readonly name: string;
  /** Of a user's own systemd. */
  readonly isUser: boolean;
}

/** The service unit in a `/proc/<pid>/cgroup` (cgroups(7)): the last `….service`, but not the user manager itself. */
export function unitOfCgroup(cgroup: string): Unit | undefined {
  const line = cgroup.split('\n').find((it) => /^(0|\d+:name=systemd):/.test(it) && it.includes('.service'));
  const parts = (line ?? '').split('/').filter((part) => part.endsWith('.service'));
  const name = parts.at(-1);
  if (name === undefined || /^user@\d+\.service$/.test(name)) return undefined;
  return { name, isUser: parts.some((part) => /^user@\d+\.service$/.test(part)) };
}

function readCgroup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Whether jobs outlive a restart of the unit: with any `KillMode` but `process`, systemd ends them with the service
 * (systemd.kill(5)). @param systemdDir exists where systemd is process 1 (sd_booted(3)).
 */
export async function checkUnit(
  { config, env }: Subject,
  systemdDir = '/run/systemd/system',
): Promise<Finding> {
  if (!existsSync(systemdDir)) return skipped('systemd does not run this machine');
  const owner = await livingOwner(config.dataDir);
  const running = owner && unitOfCgroup(readCgroup(owner.pid));
  const { name, isUser } = running ?? { name: 'lab-api.service', isUser: false };
  const properties = ['show', '--property=LoadState', '--property=KillMode', name];
  const result = await ask('systemctl', isUser ? ['--user', ...properties] : properties, { env });
  const text = result.stdout.toString('utf8');
  const killMode = /^KillMode=(.*)$/m.exec(text)?.[1];
  if (result.exitCode !== 0 || killMode === undefined) {
    return failed(
      `systemctl cannot show ${name}: ${complaint(result)}`,
      `make "systemctl show ${name}" work`,
    );
  }
  if (!/^LoadState=loaded$/m.test(text)) return skipped(`there is no unit ${name}`);
  if (killMode === 'process') return ok(`${name}: KillMode=process, jobs outlive a restart`);
  return failed(
    `${name}: KillMode=${killMode}, a restart ends running jobs`,
    `systemctl edit ${name}, and add the lines [Service] and KillMode=process`,
  );
}

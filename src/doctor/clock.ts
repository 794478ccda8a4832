import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { failed, ok, warning, type Finding, type Subject } from './finding.ts';
import { ask } from './program.ts';

/**
 * When the files of this program came onto this machine. The change time of a file is the kernel's own and, unlike the
 * modification time (npm sets all to 1985), no archive brings it along.
 */
function installedMs(): number {
  return statSync(fileURLToPath(import.meta.url)).ctimeMs;
}

/** Whether the kernel's clock is synchronised (adjtimex(2)), as systemd reports it; undefined if unknown. */
async function isSynchronised(env: Subject['env']): Promise<boolean | undefined> {
  const result = await ask('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { env });
  const answer = result.stdout.toString('utf8').trim();
  return result.exitCode === 0 && (answer === 'yes' || answer === 'no') ? answer === 'yes' : undefined;
}

/** Ids of jobs sort by time, and certificates are valid for one. */
export async function checkClock({ env }: Subject, now = Date.now()): Promise<Finding> {
  const time = new Date(now).toISOString();
  const remedy = 'set the clock: timedatectl set-ntp true, or chrony';
  const installed = installedMs();
  if (now < installed) {
    return failed(
      `it is ${time}, before this program was built (${new Date(installed).toISOString()})`,
      remedy,
    );
  }
  const synchronised = await isSynchronised(env);
  if (synchronised === false) return warning(`${time}, not synchronised`, remedy);
  return ok(
    synchronised === undefined
      ? `${time}; it is unknown whether the clock is synchronised`
      : `${time}, synchronised`,
  );
}

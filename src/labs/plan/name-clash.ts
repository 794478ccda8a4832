import { messageOf } from '../../lib/app-error.ts';
import { specOf } from '../model/actions.ts';
import type { LabAsked, LabDriver } from '../drivers/lab-driver.ts';
import type { CommandRecord } from '../model/command-record.ts';

/**
 * Of a lab CLI that tells labs apart by their names alone: why a job must not start now, beside those that run, in a sentence;
 * else undefined. The lab of another directory may have come since the job was accepted.
 */
export async function nameClash(
  { action, workdir, instance, request }: CommandRecord,
  running: readonly (CommandRecord & { readonly id: string })[],
  { driver, ...asking }: { readonly driver: LabDriver } & Pick<LabAsked, 'env' | 'run' | 'others'>,
): Promise<string | undefined> {
  // Actions that change nothing run beside all others.
  if (instance === null || !specOf(action).locksWorkdir) return undefined;
  const other = running.find(
    (job) => specOf(job.action).locksWorkdir && job.instance === instance && job.workdir !== workdir,
  );
  if (other !== undefined)
    return `another job is at work on a lab "${instance}" in another directory: one lab has a name at a time`;
  try {
    await driver.checkLab?.({ action, workdir, instance, options: request, ...asking });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

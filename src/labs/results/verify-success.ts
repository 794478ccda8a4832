/** Whether an action that ended with exit code 0 did what it says: for some, that alone proves nothing. */
import { specOf } from '../model/actions.ts';
import type { ClaimedSuccess, LabDriver } from '../drivers/lab-driver.ts';
import type { CommandRecord } from '../model/command-record.ts';
import type { CliOptionValues } from '../model/options.ts';

interface VerifyParts extends Pick<ClaimedSuccess, 'instanceDirs' | 'look'> {
  readonly driver: Pick<LabDriver, 'resultChecks'>;
}

/** A sentence when it did not, else undefined. */
export async function verifySuccess(
  { action, workdir, instance, request }: Omit<CommandRecord, 'startedAt'>,
  logEnd: string,
  { driver, instanceDirs, look }: VerifyParts,
): Promise<string | undefined> {
  const { verifiedBy } = specOf(action);
  if (verifiedBy === undefined) return undefined;
  const { nodes } = request as CliOptionValues;
  return driver.resultChecks[verifiedBy]({
    workdir,
    instance,
    dryRun: request['dryRun'] === true,
    ofSomeNodes: request['nodeFilter'] !== undefined,
    nodes: nodes ?? [],
    logEnd,
    instanceDirs,
    look,
  });
}

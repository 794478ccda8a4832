import type { Groups, Share } from '../access/model/groups.ts';
import { invalidField } from '../lib/app-error.ts';

/** @throws AppError `invalid-request` for a group that is not there. Users are not looked up: some come from an identity provider. */
export function assertGroups(shares: readonly Share[], groups: Groups): void {
  for (const [at, share] of shares.entries())
    if (share.kind === 'group' && !groups.has(share.name))
      throw invalidField(
        `shares.${at}.name`,
        `there is no group ${JSON.stringify(share.name)}: leave it out, or ask an administrator to add it to the users file`,
      );
}

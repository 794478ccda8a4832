import type { Groups, Share } from '../access/model/groups.ts';
import { fieldError } from '../lib/app-error.ts';

/** @throws AppError `group-not-found`. Users are not looked up: some come from an identity provider. */
export function assertGroups(shares: readonly Share[], groups: Groups): void {
  for (const [at, share] of shares.entries())
    if (share.kind === 'group' && !groups.has(share.name))
      throw fieldError(
        'group-not-found',
        `shares.${at}.name`,
        `there is no group ${JSON.stringify(share.name)}: leave it out, or ask an administrator to add it to the users file`,
      );
}

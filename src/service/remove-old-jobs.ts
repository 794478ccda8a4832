import { applyRetention, type RetentionRules } from '../jobs/store/retention.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';

interface RemoveOldJobsDeps {
  readonly store: JobStore;
  readonly rules: RetentionRules;
  readonly log: Logger;
  /** Ends it early. */
  readonly shutdown: AbortSignal;
}

/** Applies the rules of retention, and logs the result. Never rejects. */
export async function removeOldJobs({ store, rules, log, shutdown }: RemoveOldJobsDeps): Promise<void> {
  try {
    const count = await applyRetention(store, rules, shutdown);
    if (count > 0) log.info('old jobs were removed', { count });
  } catch (error) {
    log.error('old jobs cannot be removed', { cause: messageOf(error) });
  }
}

import { applyRetention, type RetentionRules } from '../jobs/store/retention.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';

export const retentionIntervalMs = 600_000;

interface RemoveOldJobsDeps {
  readonly store: JobStore;
  readonly rules: RetentionRules;
  readonly log: Logger;
  /** Ends it early. */
  readonly shutdown: AbortSignal;
}

/**
 * A function that applies the rules of retention, and logs the result; it never rejects. It does nothing while an earlier call
 * still removes jobs: both would remove the same ones.
 */
export function oldJobsRemoval({ store, rules, log, shutdown }: RemoveOldJobsDeps): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      const count = await applyRetention(store, rules, shutdown);
      if (count > 0) log.info('old jobs were removed', { count });
    } catch (error) {
      log.error('old jobs cannot be removed', { cause: messageOf(error) });
    } finally {
      isUnderWay = false;
    }
  };
}

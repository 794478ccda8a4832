/** Fetches of labs from Git. */
import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import type { GitObserver } from '../labs/git/git-files.ts';
import type { ErrorCode } from '../lib/error-codes.ts';

/** A fetch may take 45 s. */
const fetchBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 20, 45];
const usualFailures = ['source-failed', 'source-not-found', 'payload-too-large', 'archive-refused'] as const;

/** The caller reports each fetch to the result. */
export function addGitMetrics(registry: Registry): GitObserver {
  const registers = [registry];
  const fetches = new Counter({
    name: 'lab_api_git_fetches_total',
    help: 'Fetches of labs from Git by result: success, or the error code.',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['success', ...usualFailures]) fetches.inc({ result }, 0);
  const durations = new Histogram({
    name: 'lab_api_git_fetch_duration_seconds',
    help: 'Duration of fetches from Git in seconds, failures included.',
    buckets: fetchBuckets,
    registers,
  });
  return {
    fetchEnded: (durationMs: number, failure: ErrorCode | undefined) => {
      fetches.inc({ result: failure ?? 'success' });
      durations.observe(durationMs / 1_000);
    },
  };
}

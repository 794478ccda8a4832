import type { QuotaService } from '../../src/quotas/quota-service.ts';

/** Of a server whose users file has no quotas. */
export const noQuotas: QuotaService = {
  ofJobs: () => ({
    countsNodes: () => false,
    maxLeaseMs: () => undefined,
    checkAll: async () => Promise.resolve(),
    check: async () => Promise.resolve(async (record) => record()),
  }),
  maxLeaseMsOf: () => undefined,
  assertMayGet: () => undefined,
  report: async () => Promise.resolve({ quotas: [], maxLeaseMs: null }),
};

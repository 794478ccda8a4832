/** Whether the audit is whole where it is kept. */
import Counter from 'prom-client/lib/counter.js';
import type Registry from 'prom-client/lib/registry.js';

export interface AuditSources {
  /** Since the start of the service. */
  readonly diverted: () => number;
}

export function addAuditMetrics(registry: Registry, { diverted }: AuditSources): void {
  const lines = new Counter({
    name: 'lab_api_audit_lines_diverted_total',
    help: 'Audit lines that went to the service log because LAB_API_AUDIT_FILE failed.',
    registers: [registry],
    collect: () => {
      lines.reset();
      lines.inc(diverted());
    },
  });
}

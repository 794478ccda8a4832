/** Records the requests about the audit. */

/** @param {{ ask: (call: string, options?: { as?: string }) => Promise<unknown> }} recorder of a service that has started a lab */
export async function recordAudit(recorder) {
  await recorder.ask('GET /audit?action=up&refused=false', { as: 'listAudit' });
  await recorder.ask('GET /audit/export?action=up&refused=false', { as: 'exportAudit' });
}

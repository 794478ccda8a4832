/**
 * @param {{ ask: (call: string, options?: { as?: string, body?: unknown }) => Promise<unknown> }} recorder
 * @param {string} lab the path of a lab that is up, with a node `h1` and a link `1`
 */
export async function recordFaults(recorder, lab) {
  const [node, link] = [`${lab}/nodes/h1/fault`, `${lab}/links/1/fault`];
  await recorder.ask(`PUT ${node}`, { as: 'putNodeFault', body: { kind: 'isolated' } });
  await recorder.ask(`DELETE ${node}`, { as: 'removeNodeFault' });
  await recorder.ask(`PUT ${link}`, { as: 'putLinkFault', body: { kind: 'down', ttlSeconds: 30 } });
  await recorder.ask(`GET ${lab}/links`, { as: 'listLinks' });
  await recorder.ask(`DELETE ${link}`, { as: 'removeLinkFault' });
  await recorder.ask(`DELETE ${lab}/faults`, { as: 'removeLabFaults' });
  await recorder.ask(`PUT ${lab}/links/99/fault`, { body: { kind: 'down' } });
}

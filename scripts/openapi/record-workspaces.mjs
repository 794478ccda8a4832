/** Examples of workspaces and their files. */

/** @typedef {{ ask: (call: string, options?: { as?: string, body?: unknown, upload?: string, headers?: Readonly<Record<string, string>> }) => Promise<any>, end: (id: string) => Promise<any> }} Recorder */

export const shared = { shares: [{ kind: 'user', name: 'ann', as: 'operator' }] };

/** @param {Recorder} recorder */
export async function recordWorkspaces(recorder) {
  const [at, owner] = ['PUT /workspaces/course', { owner: 'ops' }];
  await recorder.ask(at, { as: 'putWorkspace' });
  await recorder.ask(`${at}/shares`, { as: 'replaceWorkspaceShares', body: shared });
  await recorder.ask(`${at}/owner`, { as: 'replaceWorkspaceOwner', body: owner });
  const layout = { nodes: { r1: { x: 200, y: 0 } }, links: {} };
  await recorder.ask(`${at}/layout`, { as: 'replaceWorkspaceLayout', body: layout });
  await recorder.ask('GET /workspaces/course/layout', { as: 'getWorkspaceLayout' });
  const topology = 'nodes: [r1, r2]\nlinks: [r1-r2]\n';
  await recorder.ask('PUT /workspaces/course/files/topology.yml', { as: 'putFile', upload: topology });
  await recorder.ask('POST /topologies/check', {
    as: 'checkTopology',
    body: { topology: 'nodes: [r1, r2]\nlinks:\n- r1-r3\n', workspace: 'course' },
  });
  const { id } = await recorder.ask('POST /jobs', { body: { action: 'create', workspace: 'course' } });
  await recorder.end(id);
  await recorder.ask('GET /workspaces', { as: 'listWorkspaces' });
  await recorder.ask('GET /disk', { as: 'getDiskUse' });
  await recorder.ask('POST /reload', { as: 'reloadSettings' });
  await recorder.ask('GET /workspaces/course', { as: 'getWorkspace' });
  await recorder.ask('GET /workspaces/course/files', { as: 'listFiles' });
  // Requests that are refused:
  await recorder.ask('GET /workspaces/nothing');
  await recorder.ask('GET /workspaces/course/files/nothing');
  const typed = (/** @type {string} */ type) => ({ upload: 'no archive', headers: { 'Content-Type': type } });
  await recorder.ask('PUT /workspaces/course', typed('text/plain'));
  await recorder.ask('PUT /workspaces/course', typed('application/gzip'));
  await recorder.ask('DELETE /workspaces/course/files/topology.yml', {
    headers: { 'If-Match': '"another"' },
  });
  await recorder.ask('DELETE /workspaces/course/files/topology.yml', { as: 'removeFile' });
  await recorder.ask('DELETE /workspaces/course', { as: 'removeWorkspace' });
}

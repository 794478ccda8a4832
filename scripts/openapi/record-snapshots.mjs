/** Examples of snapshots: of a lab that is up, and of the lab that is started from one. */

import { shared } from './record-workspaces.mjs';

/** @typedef {{ ask: (call: string, options?: { as?: string, body?: unknown }) => Promise<any>, end: (id: string) => Promise<any> }} Recorder */

/** @param {Recorder} recorder @param {string} lab its path */
export async function recordSnapshots(recorder, lab) {
  await recorder.ask(`POST ${lab}/snapshots`, { as: 'keepLab', body: { name: 'stage-1' } });
  await recorder.ask(`POST ${lab}/snapshots`, { body: { name: 'stage-1' } });
  await recorder.ask(`POST ${lab}/snapshots`, { body: { name: 'stage-2' } });
  await recorder.ask('PUT /snapshots/stage-1/shares', { as: 'replaceSnapshotShares', body: shared });
  await recorder.ask('GET /snapshots', { as: 'listSnapshots' });
  await recorder.ask('GET /snapshots/stage-1', { as: 'getSnapshot' });
  await recorder.ask('GET /snapshots/nothing');
  await recorder.ask('GET /snapshots/stage-1/diff?with=stage-2', { as: 'compareSnapshots' });
  await recorder.ask(`GET ${lab}/diff?snapshot=stage-1`, { as: 'compareLab' });
}

/** When that lab is down: its multilab id is free. @param {Recorder} recorder */
export async function recordRestore(recorder) {
  const body = { workspace: 'again' };
  const { labs } = await recorder.ask('POST /snapshots/stage-1/restore', { as: 'restoreSnapshot', body });
  await recorder.end(labs[0].jobs[0].id);
  const down = await recorder.ask('POST /jobs', {
    body: { action: 'down', workspace: 'again', cleanup: true },
  });
  await recorder.end(down.id);
  await recorder.ask('DELETE /workspaces/again');
  for (const name of ['stage-1', 'stage-2'])
    await recorder.ask(`DELETE /snapshots/${name}`, { as: 'removeSnapshot' });
}

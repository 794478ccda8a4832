/** `scripts/milestone.mjs crash`: the service goes down in the middle of jobs, and jobs are canceled half-way. */
import { setTimeout as delay } from 'node:timers/promises';
import { done, must } from '../lib/words.mjs';
import {
  call,
  checkNoProcess,
  checkNothingIsLeft,
  crashAndStart,
  endOf,
  halfUp,
  inNamespaces,
  labMayBeUp,
  ping,
  prepare,
  start,
  succeed,
  workdir,
} from './stage.mjs';

/**
 * Kills the service and starts it again, at one random moment after the other, until the job has ended.
 * @param {string} id
 */
async function killUntilEnd(id) {
  // A job that has not begun when the service dies is not begun by the next one, and says so.
  while ((await call(`/jobs/${id}`)).logSize === 0) await delay(20);
  for (let kills = 0; ; kills += 1) {
    await delay(kills === 0 ? 0 : Math.random() * 600);
    const record = kills === 0 ? {} : await call(`/jobs/${id}`);
    if (record.finishedAt) {
      must(record.state === 'success' && record.exitCode === 0, `${id} is ${record.state}: ${record.error}`);
      done(`${record.action} is the same job after ${kills} times SIGKILL and a new start: ${record.state}`);
      return { record, kills };
    }
    await crashAndStart();
  }
}

/** The same jobs go on after SIGKILL of the service and a new start. Returns the number of kills. */
async function jobsOutliveTheService() {
  const id = await halfUp();
  const up = await killUntilEnd(id);
  const { log } = await call(`/jobs/${id}/log`);
  must(/Created provider configuration/.test(log), `the log has no beginning:\n${log}`);
  must(/Lab devices configured|SUCCESS/.test(log.slice(-2000)), `the log has no end:\n${log}`);
  done(`its log is whole: ${up.record.logSize} bytes`);
  await ping();
  const down = await killUntilEnd((await call('/jobs', { workdir, action: 'down', cleanup: true })).id);
  await checkNothingIsLeft();
  return up.kills + down.kills;
}

/** A canceled `up` leaves no process, and its lab goes with the next `down`. */
async function cancelHalfWay() {
  const canceled = await endOf((await call(`/jobs/${await halfUp()}/cancel`, {})).id);
  must(canceled.state === 'canceled', `the canceled up is ${canceled.state}: ${canceled.error}`);
  must(/"down" with "cleanup"/.test(canceled.error), `the error does not say what to do: ${canceled.error}`);
  checkNoProcess();
  done(`an up canceled half-way leaves no process: ${canceled.error}`);
  await succeed({ workdir, action: 'down', cleanup: true, force: true });
  await checkNothingIsLeft();
}

/** The `down` that `onCancel` asks for comes by itself. */
async function cancelWithDown() {
  const half = await halfUp({ onCancel: 'down' });
  await call(`/jobs/${half}/cancel`, {});
  const { cleanupJobId, error } = await endOf(half);
  must(cleanupJobId !== null, `no down follows: ${error}`);
  const cleanup = await endOf(cleanupJobId);
  must(cleanup.state === 'success', `the down that follows is ${cleanup.state}: ${cleanup.error}`);
  done(`with onCancel, a down follows by itself: ${error}`);
}

/** @param {{ kills: number, isInNamespaces: boolean }} options how often the service is killed, at least */
export async function crashRound({ kills, isInNamespaces }) {
  if (isInNamespaces) prepare(inNamespaces());
  await start();
  labMayBeUp({ workdir });
  let killed = 0;
  while (killed < kills) killed += await jobsOutliveTheService();
  done(`${killed} kills of the service during up and down`);
  await cancelHalfWay();
  await cancelWithDown();
  labMayBeUp(undefined);
  await checkNothingIsLeft();
}

/** A cancel that cannot end everything: the service may not signal processes of another user, as after a `sudo` in a job. */
import { afterAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { killAll } from '../support/job-processes.ts';
import { processesOf, startProgram, topologyThat } from '../support/service.ts';

/** Root without the capability by which it signals everybody (kill(2), CAP_KILL). */
const withoutKill = ['setpriv', '--bounding-set=-kill', '--inh-caps=-kill'];
/** uid 65534 is nobody. */
const asNobody = 'setpriv --reuid=65534 --clear-groups sleep 1000';
const canDo =
  process.getuid?.() === 0 && spawnSync(withoutKill[0]!, [...withoutKill.slice(1), 'true']).status === 0;
const because = canDo ? '' : ' (skipped: only root can give up a capability with setpriv)';
const jobs: string[] = [];

afterAll(async () => {
  for (const id of jobs) await killAll(id);
});

(canDo ? test : test.skip)(
  `POST /jobs/{id}/cancel says what could not be ended, and why the job is not canceled${because}`,
  async () => {
    const service = await startProgram({ through: withoutKill, env: { LAB_API_CANCEL_GRACE: '100ms' } });
    const id = await service.start({
      action: 'create',
      workdir: service.ground.workdir,
      topology: topologyThat(`${asNobody} &`, 'wait_for never'),
    });
    jobs.push(id);
    await service.ground.waitsFor('never');
    // What ends a job takes longer than the reply to a cancel waits.
    expect(await service.post(`/jobs/${id}/cancel`, { force: true })).toMatchObject({
      status: 202,
      json: { state: 'canceling', leftovers: [] },
    });
    const job = await service.ended(id);
    const survivors = await processesOf(id);
    expect(survivors).toHaveLength(1);
    expect(job).toMatchObject({ state: 'failed', reason: 'canceled', leftovers: survivors });
    expect(job.error).toContain(`these processes could not be ended: ${survivors[0]}`);
    expect(await service.post(`/jobs/${id}/cancel`)).toMatchObject({ status: 200, json: job });
  },
);

import { processesWith } from './environments.ts';
import { eventually } from './eventually.ts';

/** Pids of living processes that carry the job's id in their environment. */
export function processesOf(jobId: string): number[] {
  return processesWith(`LAB_JOB_ID=${jobId}`);
}

/** Kills what is left of a job. */
export async function killAll(jobId: string): Promise<void> {
  await eventually(`the processes of ${jobId} to be gone`, () => {
    const left = processesOf(jobId);
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
    return left.length === 0;
  });
}

import { jobIdVariable } from '../../src/jobs/process.ts';
import { hasEnvironment, listProcesses, type ProcessEntry } from '../../src/lib/processes.ts';
import { eventually } from './eventually.ts';

/** Living processes that carry the job's id in their environment, found through /proc and independent of any record. */
export async function processesOf(jobId: string): Promise<ProcessEntry[]> {
  const entries = await listProcesses();
  const flags = await Promise.all(entries.map(({ pid }) => hasEnvironment(pid, `${jobIdVariable}=${jobId}`)));
  return entries.filter((_, index) => flags[index]);
}

/** Kills what is left of a job. */
export async function killAll(jobId: string): Promise<void> {
  await eventually(`the processes of ${jobId} to be gone`, async () => {
    const left = await processesOf(jobId);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
    return left.length === 0;
  });
}

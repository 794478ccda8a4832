import { processesWith } from './environments.ts';
import { eventually } from './eventually.ts';

/** Pids of living processes that carry the job's id in their environment. */
export function processesOf(jobId: string): number[] {
  return processesWith(`LAB_JOB_ID=${jobId}`);
}

const all = (signal: NodeJS.Signals, pids: readonly number[]) => pids.map((pid) => [signal, pid] as const);

/** Kills what is left of a job. */
export async function killAll(jobId: string): Promise<void> {
  await eventually(`the processes of ${jobId} to be gone`, () => {
    const left = processesOf(jobId);
    // Held first: one that goes before the others must not be told of by those.
    for (const [signal, pid] of [...all('SIGSTOP', left), ...all('SIGKILL', left)]) {
      try {
        process.kill(pid, signal);
      } catch {
        // It went by itself.
      }
    }
    return left.length === 0;
  });
}

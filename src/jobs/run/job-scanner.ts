/** Finds the processes of jobs by a variable in their environment, which their children inherit, wherever they go. */
import { bootId, hasProcFs, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { ProcessScanner } from '../../lib/processes/process-scanner.ts';

/** Its value is the id of the job. */
export const jobIdVariable = 'LAB_JOB_ID';

/** One scanner for all who look for processes of jobs, so that many cancels at once cost as much as one. */
export const jobScanner = new ProcessScanner(jobIdVariable);

/** The living shim of a job that has no `process.json`: a process that leads its session and carries the job's id. */
export async function findShim(id: string): Promise<ProcessIdentity | undefined> {
  if (!hasProcFs) return undefined;
  // The oldest of them: a daemon that the lab CLI started leads a session of its own and carries the id as well. Start
  // times are in steps of 10 ms, so the pid decides between two that look equally old.
  const [oldest] = (await jobScanner.scan())
    .filter((entry) => entry.session === entry.pid && entry.tag === id)
    .toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  return oldest && { pid: oldest.pid, startTicks: oldest.startTicks, bootId };
}

/** The living processes of these jobs, whoever started them. */
export async function findByJob(ids: ReadonlySet<string>): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const { tag, pid } of await jobScanner.scan())
    if (typeof tag === 'string' && ids.has(tag)) found.set(tag, [...(found.get(tag) ?? []), pid]);
  return found;
}

/** Looks for what a lab or a job may have left. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { jobProcesses } from '../lib/job-processes.mjs';
import { done, must } from '../lib/words.mjs';
import { labContainers } from './machine.mjs';
import { dataDir, url, workdir } from './stage.mjs';

/** No process is left that carries the id of a job of ours. */
export function checkNoProcess() {
  const jobs = readdirSync(path.join(dataDir, 'jobs'));
  const processes = jobProcesses((id) => jobs.includes(id)).map(({ pid }) => pid);
  must(processes.length === 0, `processes are left: ${processes.join(', ')}`);
}

export async function checkNothingIsLeft() {
  const containers = await labContainers();
  must(containers.length === 0, `containers are left: ${containers.join(', ')}`);
  must(!existsSync(path.join(workdir, 'netlab.lock')), 'netlab.lock is left');
  checkNoProcess();
  const status = await fetch(`${url()}/status/default`);
  must(status.status === 404, `GET /status/default is ${status.status} after down`);
  done('nothing is left: no container, no lock, no process, no instance');
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { frrVersionIn, isOldFrr, zebraFile } from '../lib/net/frr.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { asJobs } from './job-user.ts';
import { labCliOf } from './lab-cli.ts';
import { ask } from './program.ts';

/** Where new labs have their containers; undefined for a lab CLI that has none. */
function runtimeOf(subject: Subject) {
  const env = { ...asJobs(subject).env, LAB_API_RUNTIME: subject.config.runtime };
  return labCliOf(subject)?.driver.runtimes?.inForce(env);
}

/** Whether a program of that name runs in the network namespace of this process: nodes of labs have their own. */
export function runsHere(program: string, proc = '/proc'): boolean {
  const of = (pid: string, file: string): string => path.join(proc, pid, file);
  return readdirSync(proc).some((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readFileSync(of(pid, 'comm'), 'utf8').trim() !== program) return false;
      return readlinkSync(of(pid, 'ns/net')) === readlinkSync(of('self', 'ns/net'));
    } catch {
      // It has just ended.
      return false;
    }
  });
}

const disableFrr = 'systemctl disable --now frr';

/** Which runtime new labs have, and why; for namespaces, which FRR their routers run. */
export async function checkRuntime(
  subject: Subject,
  { zebra = zebraFile, proc = '/proc' } = {},
): Promise<Finding> {
  const inForce = runtimeOf(subject);
  if (inForce === undefined) return skipped('the nodes of the lab CLI are no containers');
  const { runtime, why, obstacle } = inForce;
  const where = `${runtime}: ${why}`;
  if (obstacle !== undefined)
    return failed(`${where}, and ${obstacle}`, 'mend that, or change LAB_API_RUNTIME');
  if (runtime === 'containers') return ok(where);
  const { stdout, spawnError } = await ask(zebra, ['--version'], asJobs(subject));
  if (spawnError !== null)
    return warning(
      `${where}; without ${zebra}, labs have no routers`,
      `install the package frr, then: ${disableFrr}`,
    );
  const version = frrVersionIn(stdout.toString('utf8')) ?? 'of an unknown version';
  const frr = `${where}; routers run FRR ${version}`;
  if (runsHere('zebra', proc))
    return warning(`${frr}, which also runs on the machine itself and may change its routes`, disableFrr);
  return ok(isOldFrr(version) ? `${frr}, and some tests of netlab want 10.5 or newer` : frr);
}

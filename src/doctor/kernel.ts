import {
  describeFeature,
  featureRemedy,
  missingFeatures,
  triedFeatures,
  type KernelFeature,
} from '../lib/net/kernel-features.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { asJobs } from './job-user.ts';
import { labCliOf } from './lab-cli.ts';
import { ask, complaint } from './program.ts';

/** No lab has a link without these. */
const essential = new Set<KernelFeature>(['veth', 'bridge']);

/** Whether the kernel has what the labs of the lab CLI use. */
export async function checkKernel(subject: Subject): Promise<Finding> {
  const wanted = labCliOf(subject)?.driver.needs.kernel ?? [];
  if (wanted.length === 0) return skipped('there is no lab CLI');
  const isRoot = process.getuid?.() === 0 && subject.config.jobUser === undefined;
  const result = await ask('unshare', triedFeatures(wanted, isRoot), asJobs(subject));
  if (result.exitCode !== 0) return skipped(`the kernel cannot be tried here: ${complaint(result)}`);
  const missing = missingFeatures(wanted, result.stdout.toString('utf8'));
  if (missing.length === 0) return ok(wanted.join(', '));
  const say = missing.some((name) => essential.has(name)) ? failed : warning;
  return say(`labs will miss ${missing.map(describeFeature).join(', ')}`, featureRemedy(missing));
}

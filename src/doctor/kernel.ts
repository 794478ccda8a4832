import type { KernelFeature } from '../labs/drivers/lab-needs.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { asJobs } from './job-user.ts';
import { labCliOf } from './lab-cli.ts';
import { ask, complaint } from './program.ts';

/** `name`: its module, for modprobe(8). `command`: uses it in a new network namespace, which has only `lo`. */
const features: Readonly<Record<KernelFeature, { readonly command: string; readonly users: string }>> = {
  veth: { command: 'ip link add p type veth', users: 'links' },
  bridge: { command: 'ip link add p type bridge', users: 'links of more than two nodes' },
  sch_netem: { command: 'tc qdisc add dev lo root netem delay 1ms', users: 'impaired links' },
  dummy: { command: 'ip link add p type dummy', users: 'stub links' },
  vrf: { command: 'ip link add p type vrf table 10', users: 'VRFs' },
  '8021q': { command: 'ip link add link lo name p type vlan id 10', users: 'VLANs' },
  bonding: { command: 'ip link add p type bond', users: 'link aggregation' },
  vxlan: { command: 'ip link add p type vxlan id 10 dstport 4789', users: 'VXLAN' },
};

/** No lab has a link without these. */
const essential = new Set<KernelFeature>(['veth', 'bridge']);

/**
 * Whether the kernel has what the labs of the lab CLI use. Each feature is tried in a network namespace that ends with the check:
 * lists of modules do not name what is built in, and the kernel loads a module when it is used.
 */
export async function checkKernel(subject: Subject): Promise<Finding> {
  const wanted = labCliOf(subject)?.driver.needs.kernel ?? [];
  if (wanted.length === 0) return skipped('there is no lab CLI');
  const script = wanted
    .map((name) => `(${features[name].command}) >/dev/null 2>&1 || echo ${name}; ip link del p 2>/dev/null`)
    .join('\n');
  const isRoot = process.getuid?.() === 0 && subject.config.jobUser === undefined;
  const result = await ask(
    'unshare',
    [
      ...(isRoot ? [] : ['--user', '--map-root-user']),
      '--net',
      'sh',
      '-c',
      `set -e; ip -V >&2; tc -V >&2; set +e\n${script}\ntrue`,
    ],
    asJobs(subject),
  );
  if (result.exitCode !== 0) return skipped(`the kernel cannot be tried here: ${complaint(result)}`);
  const printed = result.stdout.toString('utf8').split('\n');
  const missing = wanted.filter((name) => printed.includes(name));
  if (missing.length === 0) return ok(wanted.join(', '));
  const say = missing.some((name) => essential.has(name)) ? failed : warning;
  return say(
    `labs will miss ${missing.map((name) => `${name} (${features[name].users})`).join(', ')}`,
    `install the kernel's further modules (Ubuntu: linux-modules-extra-$(uname -r)), then: modprobe -a ${missing.join(' ')}`,
  );
}

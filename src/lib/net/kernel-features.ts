/** Parts of the kernel that labs use, and whether this kernel has them. */

/** A part of the kernel that may be missing, by the name of its module. */
export type KernelFeature =
  'veth' | 'bridge' | 'sch_netem' | 'dummy' | 'vrf' | '8021q' | 'bonding' | 'vxlan' | 'mpls_router';

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
  // No command of `ip` loads it.
  mpls_router: { command: 'modprobe mpls_router || [ -d /proc/sys/net/mpls ]', users: 'MPLS' },
};

/** `vrf (VRFs)`. */
export const describeFeature = (name: KernelFeature): string => `${name} (${features[name].users})`;

/**
 * The arguments of unshare(1) that try each feature in a network namespace, which ends with it: lists of modules do not name
 * what is built in, and the kernel loads a module when it is used. Exit code 0 when all were tried.
 */
export function triedFeatures(wanted: readonly KernelFeature[], isRoot: boolean): readonly string[] {
  const tries = wanted.map(
    (name) => `(${features[name].command}) >/dev/null 2>&1 || echo ${name}; ip link del p 2>/dev/null`,
  );
  const script = `set -e; ip -V >&2; tc -V >&2; set +e\n${tries.join('\n')}\ntrue`;
  return [...(isRoot ? [] : ['--user', '--map-root-user']), '--net', 'sh', '-c', script];
}

/** The features that the kernel does not have, from the output of the attempt. */
export function missingFeatures(wanted: readonly KernelFeature[], printed: string): readonly KernelFeature[] {
  const lines = new Set(printed.split('\n'));
  return wanted.filter((name) => lines.has(name));
}

/** Ubuntu keeps part of the modules in a package of its own. */
export const featureRemedy = (missing: readonly KernelFeature[]): string =>
  `install the kernel's further modules (Ubuntu: linux-modules-extra-$(uname -r)), then: modprobe -a ${missing.join(' ')}`;

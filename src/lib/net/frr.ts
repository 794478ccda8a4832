/** FRR (frrouting.org) of this machine. */

/** As Debian's package and FRR's own packages have it. */
export const zebraFile = '/usr/lib/frr/zebra';

/** The version in what `zebra --version` prints: `10.3`. */
export function frrVersionIn(output: string): string | undefined {
  return /^zebra version (\d[\w.]*)/m.exec(output)?.[1];
}

/** netlab 26.10 is made for FRR 10.7: the `show` commands of its tests print other things before 10.5. */
export function isOldFrr(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 10 || (major === 10 && minor < 5);
}

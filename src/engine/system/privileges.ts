/** Checks whether this process may make network namespaces without a user namespace. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';

/** Bits of capabilities(7), linux/capability.h. */
const netAdmin = 12n;
const sysAdmin = 21n;

function effectiveCapabilities(): bigint {
  try {
    const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return BigInt(`0x${line ?? '0'}`);
  } catch {
    return 0n;
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Privileges {
  readonly isEnough: boolean;
  /** The missing privileges, as words that follow "needs"; empty if nothing is missing. */
  readonly missing: string;
}

/** Namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN, and a place for their names in `/run/netns` (ip-netns(8)). */
export function privileges(runDir: string): Privileges {
  const capabilities = effectiveCapabilities();
  const has = (bit: bigint): boolean => (capabilities & (1n << bit)) !== 0n;
  const lacking = [...(has(netAdmin) ? [] : ['CAP_NET_ADMIN']), ...(has(sysAdmin) ? [] : ['CAP_SYS_ADMIN'])];
  const names = `${runDir}/netns`;
  const canName = isWritable(existsSync(names) ? names : runDir) && isWritable(runDir);
  if (!canName && lacking.length === 0) lacking.push(`write access to ${runDir}`);
  return { isEnough: lacking.length === 0, missing: lacking.join(' and ') };
}

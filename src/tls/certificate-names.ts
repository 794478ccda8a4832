/** The names and addresses by which clients may reach this machine. Its certificate has to contain them. */
import { lookup, lookupService } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import os from 'node:os';
import { domainToASCII } from 'node:url';
import type { Config } from '../config/config.ts';
import { settledWithin } from '../lib/async/settled-within.ts';

export interface CertificateNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/** A name server that does not answer must not delay the start. */
const lookupLimitMs = 2_000;

/** RFC 1123, section 2.1, and the underscore that some machines have in their names. */
const dnsName =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Removes the zone, which has a meaning on this machine only. */
const bareAddress = (address: string): string => address.split('%')[0] ?? address;

const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address);

/** Returns an IPv6 address in its shortest form (RFC 5952), and an IPv4 address unchanged. */
export function shortest(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/**
 * Returns the IPv6 addresses that the kernel replaces each day (RFC 8981). Clients do not use them, and each would need a new
 * certificate. They have the flag 0x01 in /proc/net/if_inet6.
 */
function temporaryAddresses(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/proc/net/if_inet6', 'utf8').trim().split('\n');
    const found = lines.flatMap((line) => {
      const [hex = '', , , , flags = '0'] = line.split(/\s+/);
      return Number.parseInt(flags, 16) & 1 ? [shortest(hex.replace(/(.{4})(?!$)/g, '$1:'))] : [];
    });
    return new Set(found);
  } catch {
    // The system is not Linux, or has no IPv6.
    return new Set();
  }
}

function interfaceAddresses(): string[] {
  const temporary = temporaryAddresses();
  const all = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
  return all
    .map(({ address }) => address)
    .filter((address) => !isLinkLocal(address) && !temporary.has(address));
}

/** Returns the full name of this machine, as `hostname -f` prints it. */
async function fullName(hostName: string): Promise<string | undefined> {
  const found = lookup(hostName).then(async ({ address }) => lookupService(address, 0));
  const name = (await settledWithin(found, lookupLimitMs))?.hostname.toLowerCase();
  return name?.startsWith(`${hostName}.`) ? name : undefined;
}

/**
 * Clients reach a service that listens on one address by that address and, through a tunnel, by those of loopback. They reach a
 * service that listens on every address by all present addresses of the machine.
 */
export async function certificateNames({
  bind,
  allowedHosts,
}: Pick<Config, 'bind' | 'allowedHosts'>): Promise<CertificateNames> {
  const hostName = os.hostname().toLowerCase();
  const isOneAddress = isIP(bind) !== 0 && !everyAddress.has(bind);
  const own = isOneAddress ? [] : interfaceAddresses();
  const bound = everyAddress.has(bind) ? [] : [bareAddress(bind)];
  const given = [...bound, ...own, ...allowedHosts.map(bareAddress)];
  const names = ['localhost', hostName, (await fullName(hostName)) ?? hostName, ...given]
    .filter((name) => isIP(name) === 0)
    .map((name) => domainToASCII(name).toLowerCase());
  const ips = ['127.0.0.1', '::1', ...given].filter((address) => isIP(address) !== 0);
  return {
    dns: [...new Set(names)].filter((name) => dnsName.test(name)),
    ips: [...new Set(ips.map(shortest))],
  };
}

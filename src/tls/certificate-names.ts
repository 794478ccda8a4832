/** By which names and addresses clients may reach this machine: what its own certificate has to name. */
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

/** A name server that does not answer must not hold up a start. */
const lookupLimitMs = 2_000;

/** RFC 1123, section 2.1, and the underscore that some machines have in their names. */
const dnsName =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** As a certificate has it: without a zone, which means something on this machine alone. */
const bareAddress = (address: string): string => address.split('%')[0] ?? address;

const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address);

/** An IPv6 address in its shortest writing (RFC 5952), an IPv4 one as it is. */
export function shortest(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/**
 * IPv6 addresses that the kernel replaces every day (RFC 8981): nobody is told of them, and each would need a certificate of
 * its own. They have the flag 0x01 in /proc/net/if_inet6.
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
    // Another system than Linux, or no IPv6.
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

/** What `hostname -f` says: the name that belongs to the address of our own name. */
async function fullName(hostName: string): Promise<string | undefined> {
  const found = lookup(hostName).then(async ({ address }) => lookupService(address, 0));
  const name = (await settledWithin(found, lookupLimitMs))?.hostname.toLowerCase();
  return name?.startsWith(`${hostName}.`) ? name : undefined;
}

/**
 * A service that listens on one address is reached by that one and, through a tunnel, by those of loopback; one that listens
 * on every address by all that the machine has at the moment.
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

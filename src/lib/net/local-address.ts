/** Which addresses never leave this machine, or this link. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { systemCode } from '../app-error.ts';

const forbidden4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // "this network", RFC 1122: Linux connects 0.0.0.0 to itself
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, RFC 3927: the metadata service of most clouds
  ['100.100.100.200', 32], // the metadata service of Alibaba Cloud
  ['168.63.129.16', 32], // the service of Azure for its machines
  ['224.0.0.0', 4], // multicast
  ['255.255.255.255', 32], // broadcast
];

const forbidden6: readonly (readonly [string, number])[] = [
  ['::', 128], // unspecified
  ['::1', 128], // loopback
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local, deprecated by RFC 3879
  ['fd00:ec2::254', 128], // the metadata service of AWS
  ['fd20:ce::254', 128], // the metadata service of Google Cloud
  ['64:ff9b:1::', 48], // NAT64 of the local network, RFC 8215: the prefix length, and so the IPv4 address, is unknown
  ['ff00::', 8], // multicast
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address: mapped, compatible (RFC 4291), translated, NAT64 (RFC 6052). */
const embeddings: readonly string[] = ['0,0,0,0,0,ffff', '0,0,0,0,0,0', '0,0,0,0,ffff,0', '64,ff9b,0,0,0,0'];

function buildBlockList(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of forbidden4) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of forbidden6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}

const blockList = buildBlockList();

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. The URL parser writes them that way. */
function groupsOf(address: string): readonly string[] {
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

/** The IPv4 address inside an IPv6 address, also of 6to4 (2002:<the IPv4 address>::/48, RFC 3056); undefined if there is none. */
function embedded4(address: string): string | undefined {
  const groups = groupsOf(address);
  const isEmbedded = embeddings.includes(groups.slice(0, 6).join());
  if (!isEmbedded && groups[0] !== '2002') return undefined;
  const bytes = (isEmbedded ? groups.slice(6) : groups.slice(1, 3)).map((group) =>
    Number.parseInt(group, 16),
  );
  return bytes.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** Adds the networks that the kernel takes for its own (`local` routes), as /proc/net/fib_trie of Linux lists them. */
async function addLocalRoutes(list: BlockList): Promise<void> {
  const lines = createInterface({ input: createReadStream('/proc/net/fib_trie'), crlfDelay: Infinity });
  let net = '';
  for await (const line of lines) {
    net = /\|-- ([\d.]+)$/.exec(line)?.[1] ?? net;
    const prefix = /^ +\/(\d+) \S+ LOCAL\b/.exec(line)?.[1];
    if (prefix !== undefined) list.addSubnet(net, Number(prefix), 'ipv4');
  }
}

/** The addresses of this machine at the moment. `os.networkInterfaces()` lacks interfaces without a carrier, such as a bridge of Docker without containers. */
export async function ownAddresses(): Promise<BlockList> {
  const list = new BlockList();
  for (const { address, family } of Object.values(os.networkInterfaces()).flatMap((found) => found ?? []))
    list.addAddress(address.split('%')[0] ?? address, family === 'IPv4' ? 'ipv4' : 'ipv6');
  try {
    await addLocalRoutes(list);
    // proc(5): the first field is the address, 32 hexadecimal digits.
    for (const [digits] of (await readFile('/proc/net/if_inet6', 'utf8')).matchAll(/^[\da-f]{32}/gm))
      list.addAddress(digits.replaceAll(/(.{4})(?!$)/g, '$1:'), 'ipv6');
  } catch (error) {
    // Not Linux, or a kernel without IPv6.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  return list;
}

/**
 * Whether an address is loopback, link-local, multicast, unspecified, the metadata service of a cloud or one of this
 * machine's own (`ownAddresses`). An IPv4 address counts inside an IPv6 address too.
 */
export function isForbiddenAddress(address: string, own: BlockList): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  if (family === 0) return true;
  const embedded = family === 6 ? embedded4(bare) : undefined;
  if (embedded !== undefined && isForbiddenAddress(embedded, own)) return true;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return blockList.check(bare, type) || own.check(bare, type);
}

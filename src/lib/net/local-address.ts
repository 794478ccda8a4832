/** Which addresses never leave this machine, or this link. */
import { BlockList, isIP } from 'node:net';
import os from 'node:os';

const forbidden4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // "this network", RFC 1122: Linux connects 0.0.0.0 to itself
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, RFC 3927: the metadata service of every cloud
  ['224.0.0.0', 4], // multicast
  ['255.255.255.255', 32], // broadcast
];

const forbidden6: readonly (readonly [string, number])[] = [
  ['::', 128], // unspecified
  ['::1', 128], // loopback
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local, deprecated by RFC 3879
  ['ff00::', 8], // multicast
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address: mapped, compatible (RFC 4291), translated, NAT64 (RFC 6052). */
const embeddings = ['::ffff:', '::', '::ffff:0:', '64:ff9b::'] as const;

/** An IPv4 network, in whatever IPv6 clothes its addresses may come. */
function addNetwork4(list: BlockList, net: string, prefix: number): void {
  list.addSubnet(net, prefix, 'ipv4');
  for (const embedding of embeddings) list.addSubnet(`${embedding}${net}`, 96 + prefix, 'ipv6');
  // 6to4 (RFC 3056): 2002:<the IPv4 address>::/48.
  const bytes = net.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  list.addSubnet(`2002:${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}::`, 16 + prefix, 'ipv6');
}

function buildBlockList(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of forbidden4) addNetwork4(list, net, prefix);
  for (const [net, prefix] of forbidden6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}

const blockList = buildBlockList();

/** The addresses that this machine has at the moment: a packet to one of them never leaves it, as with loopback. */
function ownAddresses(): BlockList {
  const list = new BlockList();
  for (const { address, family } of Object.values(os.networkInterfaces()).flatMap((found) => found ?? [])) {
    if (family === 'IPv4') addNetwork4(list, address, 32);
    else list.addSubnet(address.split('%')[0] ?? address, 128, 'ipv6');
  }
  return list;
}

/**
 * Whether an address is loopback, link-local, multicast, unspecified or one of this machine's own, in whatever IPv6
 * clothes it comes.
 */
export function isForbiddenAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  if (family === 0) return true;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return blockList.check(bare, type) || ownAddresses().check(bare, type);
}

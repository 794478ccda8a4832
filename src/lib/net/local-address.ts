/** Which addresses never leave this machine, or this link. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { BlockList, isIP } from 'node:net';

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
  ['fd00:ec2::254', 128], // the metadata service of AWS
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

/**
 * Whether this machine has the address itself: packets to it never leave, as with loopback. The kernel sends to its own
 * addresses from the same address, so the source address of a connected UDP socket tells; nothing is sent.
 * `os.networkInterfaces()` lacks interfaces without a carrier, such as a bridge of Docker without containers.
 */
async function isOwnAddress(address: string, family: 4 | 6): Promise<boolean> {
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
  try {
    const connected = once(socket, 'connect');
    socket.connect(9, address);
    await connected;
    const own = new BlockList();
    const type = family === 4 ? 'ipv4' : 'ipv6';
    own.addAddress(socket.address().address, type);
    return own.check(address, type);
  } catch {
    // There is no route to the address.
    return false;
  } finally {
    socket.close();
  }
}

/**
 * Whether an address is loopback, link-local, multicast, unspecified, the metadata service of a cloud or one of this
 * machine's own. An IPv4 address counts inside an IPv6 address too.
 */
export async function isForbiddenAddress(address: string): Promise<boolean> {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  if (family === 0) return true;
  const embedded = family === 6 ? embedded4(bare) : undefined;
  if (embedded !== undefined && (await isForbiddenAddress(embedded))) return true;
  return family === 4
    ? blockList.check(bare, 'ipv4') || isOwnAddress(bare, 4)
    : blockList.check(bare, 'ipv6') || isOwnAddress(bare, 6);
}

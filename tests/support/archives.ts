/** Archives as clients send them, and as nobody should: each header is made by hand, so that anything may stand in it. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface Member {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** tar(5): `0` a file, `1` a hard link, `2` a symbolic link, `5` a directory, `x` an extended header, … */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  /** In place of that of the content; as bytes: the field itself. */
  readonly size?: number | Buffer;
}

/** One header of 512 bytes and what follows it (tar(5), "POSIX ustar Archives"). */
function tarMember({ name, content = '', type = '0', link = '', mode = 0o644, size }: Member): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (Buffer.isBuffer(size)) size.copy(header, 124, 0, 12);
  else header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('14700000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** A record of an extended header: its length in decimal counts itself (pax(1)). */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (`${length}`.length + Buffer.byteLength(rest) !== length) length += 1;
  return `${length}${rest}`;
}

export function tarOf(...members: readonly Member[]): Buffer {
  return Buffer.concat([...members.map(tarMember), Buffer.alloc(1024)]);
}

export function tarGzOf(...members: readonly Member[]): Buffer {
  return gzipSync(tarOf(...members));
}

/** A member whose path is longer than 100 bytes, or holds what a plain header does not: by an extended header. */
export function paxMembers(path: string, member: Omit<Member, 'name'> = {}): readonly Member[] {
  return [
    { name: 'pax', type: 'x', content: paxRecord('path', path) },
    { name: 'short', ...member },
  ];
}

export interface ZipMember {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** With the type of a Unix file: 0o100644. */
  readonly mode?: number;
  readonly isStored?: boolean;
  /** What the directory at the end says, in place of the truth. */
  readonly claimedSize?: number;
  /** In place of the CRC-32 of the content. */
  readonly claimedSum?: number;
  readonly flags?: number;
}

/** A zip file (APPNOTE.TXT, 4.3): each member, then the directory of them. */
export function zipOf(...members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const {
      content = '',
      mode = 0o100644,
      isStored = false,
      claimedSize,
      claimedSum,
      flags = 0x800,
    } = member;
    const name = Buffer.from(member.name);
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(claimedSum ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, name, packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE((mode << 16) >>> 0, 6);
    end.writeUInt32LE(offset, 10);
    const made = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002', 'latin1'), made, common, end, name]));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(members.length, 4);
  tail.writeUInt16LE(members.length, 6);
  tail.writeUInt32LE(entries.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, Buffer.from('PK\u0005\u0006', 'latin1'), tail]);
}

/** Reads files in the format of pcap while they come (draft-ietf-opsawg-pcap). */

export interface Packet {
  /** Counted from 1. */
  readonly number: number;
  /** When it was seen, in seconds since 1970. */
  readonly time: number;
  /** How long it was, in bytes; `bytes` may be less of it. */
  readonly length: number;
  /** What was captured of it. */
  readonly bytes: Uint8Array;
  /** The same with the header of its record: what a file has of it. */
  readonly record: Uint8Array<ArrayBuffer>;
}

const fileHeaderBytes = 24;
const recordHeaderBytes = 16;
/** Longer than any packet that a capture of the service has. */
const maxPacketBytes = 1024 * 1024;

/** The first four bytes tell the order of bytes, and the unit of the parts of a second. */
const magics: Readonly<Record<number, { readonly isLittle: boolean; readonly unit: number }>> = {
  0xa1_b2_c3_d4: { isLittle: false, unit: 1e-6 },
  0xd4_c3_b2_a1: { isLittle: true, unit: 1e-6 },
  0xa1_b2_3c_4d: { isLittle: false, unit: 1e-9 },
  0x4d_3c_b2_a1: { isLittle: true, unit: 1e-9 },
};

export class PcapReader {
  /** What kind of packets they are (LINKTYPE_…); 1 is Ethernet. Known once `header` is. */
  linkType = 1;
  /** The beginning of the file, once it has come. */
  header: Uint8Array<ArrayBuffer> | undefined;
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array();
  #form = { isLittle: true, unit: 1e-6 };
  #count = 0;

  /** The packets that are whole with these bytes. @throws Error for what is no such file. */
  push(bytes: Uint8Array): Packet[] {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    let at = this.#readHeader(all);
    const packets: Packet[] = [];
    for (let packet = this.#readPacket(all, at); packet; packet = this.#readPacket(all, at)) {
      packets.push(packet);
      at += packet.record.length;
    }
    this.#rest = all.slice(at);
    return packets;
  }

  /** Gives where the packets begin. */
  #readHeader(all: Uint8Array): number {
    if (this.header || all.length < fileHeaderBytes) return 0;
    const view = new DataView(all.buffer);
    const form = magics[view.getUint32(0)];
    if (form === undefined) throw new Error('what came is not in the format of pcap');
    this.#form = form;
    // The upper bits tell of a checksum at the end of frames.
    this.linkType = view.getUint32(20, form.isLittle) & 0xff_ff;
    this.header = all.slice(0, fileHeaderBytes);
    return fileHeaderBytes;
  }

  #readPacket(all: Uint8Array, at: number): Packet | undefined {
    if (!this.header || all.length < at + recordHeaderBytes) return undefined;
    const { isLittle, unit } = this.#form;
    const view = new DataView(all.buffer, at);
    const captured = view.getUint32(8, isLittle);
    if (captured > maxPacketBytes) throw new Error('a packet in the capture is longer than packets are');
    const end = at + recordHeaderBytes + captured;
    if (all.length < end) return undefined;
    const record = all.slice(at, end);
    this.#count += 1;
    return {
      number: this.#count,
      time: view.getUint32(0, isLittle) + view.getUint32(4, isLittle) * unit,
      length: view.getUint32(12, isLittle),
      bytes: record.subarray(recordHeaderBytes),
      record,
    };
  }
}

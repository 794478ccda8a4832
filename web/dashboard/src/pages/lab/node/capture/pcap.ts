/** Reads pcap files as they arrive (draft-ietf-opsawg-pcap). */

export interface Packet {
  /** Counted from 1. */
  readonly number: number;
  /** The time of the packet, in seconds since 1970. */
  readonly time: number;
  /** The original length in bytes; `bytes` may be shorter. */
  readonly length: number;
  /** The captured bytes. */
  readonly bytes: Uint8Array;
  /** The captured bytes with their record header, as in a file. */
  readonly record: Uint8Array<ArrayBuffer>;
}

const fileHeaderBytes = 24;
const recordHeaderBytes = 16;
/** Longer than any packet of a capture of the service. */
const maxPacketBytes = 1024 * 1024;

/** The magic number gives the byte order and the unit of the fraction of a second. */
const magics: Readonly<Record<number, { readonly isLittle: boolean; readonly unit: number }>> = {
  0xa1_b2_c3_d4: { isLittle: false, unit: 1e-6 },
  0xd4_c3_b2_a1: { isLittle: true, unit: 1e-6 },
  0xa1_b2_3c_4d: { isLittle: false, unit: 1e-9 },
  0x4d_3c_b2_a1: { isLittle: true, unit: 1e-9 },
};

export class PcapReader {
  /** The kind of the packets (LINKTYPE_…); 1 is Ethernet. Known once `header` is. */
  linkType = 1;
  /** The file header, once it has arrived. */
  header: Uint8Array<ArrayBuffer> | undefined;
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array();
  #form = { isLittle: true, unit: 1e-6 };
  #count = 0;

  /** Returns the packets that are complete with these bytes. @throws Error when they are not a pcap file. */
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

  /** Returns the offset of the first packet. */
  #readHeader(all: Uint8Array): number {
    if (this.header || all.length < fileHeaderBytes) return 0;
    const view = new DataView(all.buffer);
    const form = magics[view.getUint32(0)];
    if (form === undefined) throw new Error('the data is not in pcap format');
    this.#form = form;
    // The upper bits describe the checksum of frames.
    this.linkType = view.getUint32(20, form.isLittle) & 0xff_ff;
    this.header = all.slice(0, fileHeaderBytes);
    return fileHeaderBytes;
  }

  #readPacket(all: Uint8Array, at: number): Packet | undefined {
    if (!this.header || all.length < at + recordHeaderBytes) return undefined;
    const { isLittle, unit } = this.#form;
    const view = new DataView(all.buffer, at);
    const captured = view.getUint32(8, isLittle);
    if (captured > maxPacketBytes) throw new Error('a packet in the capture is too long');
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

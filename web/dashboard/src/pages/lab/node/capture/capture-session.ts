/** One capture at a time in a node, with its packets. It continues while another tab is shown. */
import type { CaptureFilter } from '../../../../../../../src/client/node-client.ts';
import { client } from '../../../../api/service.ts';
import { Store } from '../../../../api/store.ts';
import { PcapReader, type Packet } from './pcap.ts';

export interface Captured {
  readonly interfaceName: string;
  readonly state: 'running' | 'done' | 'failed';
  /** Only for failed captures. */
  readonly error?: unknown;
  /** The number of packets, and their size in a file. */
  readonly packets: number;
  readonly bytes: number;
  /** The newest packets, up to `maxKeptBytes`. */
  readonly kept: readonly Packet[];
  /** The file header for these packets. */
  readonly header: Uint8Array<ArrayBuffer> | undefined;
  readonly linkType: number;
}

/** The form of the capture, as typed. */
export interface CaptureFields {
  readonly interfaceName: string;
  readonly filter: string;
  /** Empty for no limit. */
  readonly packets: number | string;
  readonly seconds: number | string;
}

export interface CaptureRequest extends CaptureFilter {
  readonly interfaceName: string;
}

/** More packets would make the page slow; Wireshark can handle them. */
export const maxKeptBytes = 16 * 1024 * 1024;
const drawMs = 200;

export class CaptureSession {
  readonly captured = new Store<Captured | undefined>(undefined);
  /** Undefined until the user changes one. */
  readonly fields = new Store<CaptureFields | undefined>(undefined);
  readonly #lab: string;
  readonly #node: string;
  #running: AbortController | undefined;

  constructor(lab: string, node: string) {
    this.#lab = lab;
    this.#node = node;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Captures until the end. The packets of the previous capture are dropped. */
  async start({ interfaceName, ...filter }: CaptureRequest): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    const { signal } = running;
    this.#running = running;
    const collected = new Collected(interfaceName, this.captured);
    try {
      const { body } = await client.node(this.#lab, this.#node).capture(interfaceName, filter, { signal });
      const reader = body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
        collected.add(piece.value);
      collected.draw('done');
    } catch (error) {
      if (signal.aborted) collected.draw('done');
      else collected.draw('failed', error);
    } finally {
      running.abort();
      this.#running = undefined;
    }
  }

  end(): void {
    this.#running?.abort();
  }
}

/** The collected packets, published a few times per second. */
class Collected {
  readonly #interfaceName: string;
  readonly #told: Store<Captured | undefined>;
  readonly #reader = new PcapReader();
  #kept: Packet[] = [];
  #keptBytes = 0;
  #packets = 0;
  #bytes = 0;
  #drawing: ReturnType<typeof setTimeout> | undefined;

  constructor(interfaceName: string, told: Store<Captured | undefined>) {
    this.#interfaceName = interfaceName;
    this.#told = told;
    this.draw('running');
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    for (const packet of this.#reader.push(bytes)) {
      this.#packets += 1;
      this.#keptBytes += packet.record.length;
      this.#kept.push(packet);
    }
    if (this.#keptBytes > maxKeptBytes) this.#letGo();
    this.#drawing ??= setTimeout(() => this.draw('running'), drawMs);
  }

  draw(state: Captured['state'], error?: unknown): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    const { header, linkType } = this.#reader;
    this.#told.set({
      interfaceName: this.#interfaceName,
      state,
      ...(error !== undefined && { error }),
      packets: this.#packets,
      bytes: this.#bytes,
      kept: [...this.#kept],
      header,
      linkType,
    });
  }

  /** Drops the oldest quarter at once: to drop single packets would move all others each time. */
  #letGo(): void {
    while (this.#keptBytes > maxKeptBytes * 0.75 && this.#kept.length > 0) {
      const gone = this.#kept.splice(0, Math.ceil(this.#kept.length / 8));
      for (const { record } of gone) this.#keptBytes -= record.length;
    }
  }
}

/** The words of a goodbye (RFC 4253, section 11.1) and of a refusal (RFC 4254, section 5.1), which ssh2 1.17 leaves out. */
import type { Connection } from 'ssh2';

/** Fields of ssh2 that its types omit. */
interface Inside {
  readonly ['_protocol']: {
    readonly ['_cipher']: {
      readonly allocPacket: (bytes: number) => Buffer;
      encrypt: (packet: Buffer) => void;
    };
    disconnect: (code: number) => void;
    channelOpenFail: (id: number, code: number, text: string) => void;
  };
}

export const serviceStops = 'the service stops';

const disconnectMessage = 1;
/** A packet begins with its length (4 bytes) and the length of its padding (1 byte), which ssh2 fills in (RFC 4253, section 6). */
const headBytes = 5;

/** Ends the connection, and says why. `why` is a sentence for the user; it may be empty. */
export function sayGoodbye(connection: Connection, why: string): void {
  const { _protocol: protocol } = connection as unknown as Inside;
  const words = Buffer.from(why);
  protocol.disconnect = (code) => {
    const { _cipher: cipher } = protocol;
    // Its type, the code, the words with their length, and no language.
    const packet = cipher.allocPacket(1 + 4 + 4 + words.length + 4);
    packet[headBytes] = disconnectMessage;
    packet.writeUInt32BE(code, headBytes + 1);
    packet.writeUInt32BE(words.length, headBytes + 5);
    packet.set(words, headBytes + 9);
    packet.writeUInt32BE(0, headBytes + 9 + words.length);
    cipher.encrypt(packet);
  };
  connection.end();
}

/** Refuses a channel with `reject` of ssh2, and says why. */
export function refuseChannel(connection: Connection, reject: () => void, why: string): void {
  const { _protocol: protocol } = connection as unknown as Inside;
  const plain = protocol.channelOpenFail;
  protocol.channelOpenFail = (id, code) => plain.call(protocol, id, code, why);
  // It calls that at once, if it was not called before.
  reject();
  protocol.channelOpenFail = plain;
}

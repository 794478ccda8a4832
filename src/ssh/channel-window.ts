/**
 * The window of a channel: as much as its client may send before the node has read it (RFC 4254, section 5.2). ssh2 1.17 begins with
 * 2 MiB, gives more while as much is waiting, and does not hold clients to it.
 */
import type { Connection, ServerChannel } from 'ssh2';
import { windowBytes } from './limits.ts';

/** Fields of ssh2 and of Node's streams that their types omit. */
interface Inside {
  readonly ['_protocol']: {
    channelOpenConfirm: (theirs: number, ours: number, window: number, packetSize: number) => void;
    readonly channelWindowAdjust: (theirs: number, bytes: number) => void;
  };
}
interface ChannelInside {
  readonly incoming: { window: number };
  readonly outgoing: { readonly id: number; readonly state: string };
  readonly ['_readableState']: { highWaterMark: number };
  ['_read']: () => void;
  push: (chunk: Buffer | null) => boolean;
}

/** Has new channels begin with the window of the gateway. To be called before there are any. */
export function narrowWindows(connection: Connection): void {
  const { _protocol: protocol } = connection as unknown as Inside;
  const confirm = protocol.channelOpenConfirm.bind(protocol);
  protocol.channelOpenConfirm = (theirs, ours, _window, packetSize) =>
    confirm(theirs, ours, windowBytes, packetSize);
}

/** Gives the client room as the node reads. To be called with a new channel. `cut` ends a client that sends more than that. */
export function keepWindow(connection: Connection, channel: ServerChannel, cut: () => void): void {
  const { _protocol: protocol } = connection as unknown as Inside;
  const inside = channel as unknown as ChannelInside;
  // ssh2 gives what is missing to its own window: nothing ever is.
  inside.incoming.window = Number.POSITIVE_INFINITY;
  let roomBytes = windowBytes;
  const push = inside.push.bind(channel);
  inside.push = (chunk) => {
    roomBytes -= chunk?.length ?? 0;
    if (roomBytes < 0) cut();
    return push(chunk);
  };
  // Node calls it when less than this waits, once after each piece. With less than a half of the window left, room is given each
  // time, or none would be when the client can send no further piece.
  inside['_readableState'].highWaterMark = windowBytes / 2;
  inside['_read'] = () => {
    const freeBytes = windowBytes - channel.readableLength - roomBytes;
    if (roomBytes > windowBytes / 2 || freeBytes <= 0 || inside.outgoing.state === 'closed') return;
    roomBytes += freeBytes;
    protocol.channelWindowAdjust(inside.outgoing.id, freeBytes);
  };
}

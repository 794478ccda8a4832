/** Connections of a client through its node (`ssh -L`, `-W`, `-J`): direct-tcpip of RFC 4254, section 7.2. */
import type { Socket } from 'node:net';
import type { ServerChannel, TcpipRequestInfo } from 'ssh2';
import type { NodeDialer } from '../labs/nodes/dialer.ts';
import type { LabNode } from '../labs/nodes/lab-node.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import { every } from '../lib/async/disposal.ts';
import { ChannelWriter } from './channel-writer.ts';
import type { SessionHost } from './session.ts';

type Host = Pick<SessionHost, 'visits' | 'transport' | 'ended' | 'keepWindow'>;

const lookMs = 30_000;
const goneCodes: ReadonlySet<string> = new Set(['instance-not-found', 'lab-not-up', 'node-not-found']);

/** Each side may have ended its half, and goes on to read the other one. */
async function join(channel: ServerChannel, socket: Socket, { transport, ended }: Host): Promise<void> {
  const writer = new ChannelWriter(channel, transport);
  const cut = (): void => {
    writer.close();
    socket.destroy();
  };
  ended.addEventListener('abort', cut);
  channel.on('error', cut);
  channel.once('close', cut);
  channel.pipe(socket);
  // Its usual iterator destroys it at the end of this half.
  await writer.pour(socket.iterator({ destroyOnReturn: false }));
  // Its `end` would close both halves.
  if (!writer.isClosed) channel.eof();
  if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  ended.removeEventListener('abort', cut);
  channel.end();
  channel.unpipe();
  channel.resume();
}

export class Forwards {
  readonly #host: Host;
  /** One program for all connections of a client: it stands in the network of the node. */
  #dialer: Promise<NodeDialer> | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  async #dialerIn(node: LabNode): Promise<NodeDialer> {
    const forget = (): void => void (this.#dialer = undefined);
    this.#dialer ??= node.dialer(this.#host.ended).then((dialer) => {
      const stopLooking = every(lookMs, () => void this.#look(node, dialer));
      void dialer.ended.then(() => {
        stopLooking();
        forget();
      });
      return dialer;
    });
    this.#dialer.catch(forget);
    return this.#dialer;
  }

  /** A program in the network of a container does not end with it, and would keep the network and its links. */
  async #look(node: LabNode, dialer: NodeDialer): Promise<void> {
    try {
      await node.look();
    } catch (error) {
      if (error instanceof AppError && goneCodes.has(error.code)) dialer.close();
    }
  }

  /** Resolves when the connection has ended. Never rejects. */
  async serve(
    accept: () => ServerChannel | undefined,
    reject: (why: string) => void,
    { destIP: host, destPort: port }: TcpipRequestInfo,
  ): Promise<void> {
    const { visits, ended } = this.#host;
    try {
      await visits.use('connectFromNode', ended, async (node, opened) => {
        if (host === '' || host.length > 255 || host.includes('\0') || port < 1 || port > 65_535)
          throw new AppError('invalid-request', 'the address of a connection must have a host and a port');
        const socket = await (await this.#dialerIn(node)).connect(host, port);
        const channel = ended.aborted ? undefined : accept();
        if (channel === undefined) return void socket.destroy();
        this.#host.keepWindow(channel);
        opened();
        await join(channel, socket, this.#host);
      });
    } catch (error) {
      reject(messageOf(error));
    }
  }
}

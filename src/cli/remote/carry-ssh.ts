/** `lab ssh --stdio`, for ProxyCommand of ssh_config(5): standard input and output as a connection with the SSH gateway. */
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream, type WebSocket as Socket } from 'ws';
import { ConnectionError, ServiceError } from '../../client/service-error.ts';
import type { NodeClient } from '../../client/node-client.ts';

/** RFC 6455, section 7.4.1: closed normally, also without a code. */
const normalCodes: ReadonlySet<number> = new Set([1000, 1005]);

interface Carried {
  readonly stream: ReturnType<typeof createWebSocketStream>;
  /** The reason of the server, or empty when the connection was lost; undefined for a normal end. Never rejects. */
  readonly closed: Promise<string | undefined>;
}

function carriedBy(socket: Socket): Carried {
  const stream = createWebSocketStream(socket);
  // A refusal closes it before it opens, with an error that says less than the reply does.
  stream.on('error', () => undefined);
  const closed = new Promise<string | undefined>((resolve) => {
    socket.once('close', (code: number, reason: Buffer) =>
      resolve(normalCodes.has(code) ? undefined : reason.toString('utf8')),
    );
  });
  return { stream, closed };
}

/** The service would have carried it, and the WebSocket did not reach it. */
const withoutSocket = new ServiceError(426, new Headers(), {
  detail: 'no WebSocket came through: a proxy in front of the service must pass on the header Upgrade',
});

/**
 * Carries the connection until one of its ends has closed it. Returns the reason that the server gave, if any.
 * @throws ServiceError for a refusal, ConnectionError when it is lost.
 */
export async function carrySsh(node: NodeClient): Promise<string | undefined> {
  const { stream, closed } = await node
    // The package that opened it (own-fetch.ts) has more than the interface of browsers.
    .ssh((socket) => carriedBy(socket as unknown as Socket))
    .catch((error: unknown) => {
      throw error instanceof ServiceError && error.code === 'upgrade-required' ? withoutSocket : error;
    });
  const { stdin, stdout } = process;
  // When ssh(1) has gone, the connection is closed.
  const sent = pipeline(stdin, stream).catch(() => stream.destroy());
  await pipeline(stream, stdout, { end: false }).catch(() => stream.destroy());
  const reason = await closed;
  stdin.destroy();
  await sent;
  if (reason === '') throw new ConnectionError('the connection was lost');
  return reason;
}

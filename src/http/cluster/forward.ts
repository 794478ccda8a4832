/** Passes a request on to the host that it is about, and its reply back, piece by piece and as slowly as the slower side takes it. */
import { STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import { systemCode } from '../../lib/app-error.ts';
import { streamSignal } from '../reply/stream.ts';
import { endWithLogin } from '../reply/login-end.ts';
import { hasBody } from '../request/upload.ts';
import { connectionOf } from '../upgrades.ts';
import { askerOf, requestPeer, upgradePeer } from './peers.ts';

/** Of one connection (RFC 9110, section 7.6.1), of the login here, and what says where a request came from. */
const notPassedOn = new Set([
  'authorization',
  'connection',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  // Of a session, which only this host begins and ends.
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

function passedOn(headers: HeaderValues): Record<string, string | string[]> {
  const ofConnection = new Set(
    String(headers['connection'] ?? '')
      .toLowerCase()
      .split(/[ ,]+/),
  );
  const kept = Object.entries(headers).filter(
    (header): header is [string, string | string[]] =>
      header[1] !== undefined &&
      !notPassedOn.has(header[0]) &&
      !ofConnection.has(header[0]) &&
      !header[0].startsWith('sec-fetch-'),
  );
  return Object.fromEntries(kept);
}

interface Forwarding {
  readonly cluster: ClusterService;
  readonly host: Host;
  /** Below the base path, with its query. */
  readonly path: string;
  readonly basePath: string;
  /** The body, where it was read already, as JSON. */
  readonly body?: string;
}

/** The host may have another base path. */
function locationHere(location: string, { host, basePath }: Forwarding): string {
  const there = new URL(host.url).pathname.replace(/\/+$/, '');
  return location.startsWith(`${there}/`) ? `${basePath}${location.slice(there.length)}` : location;
}

function copyHead(reply: Dispatcher.ResponseData, res: Response, forwarding: Forwarding): void {
  res.statusCode = reply.statusCode;
  for (const [name, value] of Object.entries(passedOn(reply.headers)))
    res.setHeader(name, name === 'location' ? locationHere(String(value), forwarding) : value);
}

/** @throws AppError `host-unavailable` before the reply has begun; cuts it off afterwards. */
export async function forward(req: Request, res: Response, forwarding: Forwarding): Promise<void> {
  const { cluster, host, path, body } = forwarding;
  // Counters, logs, the login watch and each part of a pipeline listen to this reply.
  res.setMaxListeners(0);
  endWithLogin(req, res);
  const signal = streamSignal(res, cluster.awaySignal(host.id));
  const { 'content-encoding': _encoding, 'content-length': _length, ...unread } = passedOn(req.headers);
  const ofBody =
    body === undefined ? passedOn(req.headers) : { ...unread, 'content-type': 'application/json' };
  const headers = { ...ofBody, 'x-request-id': req.id };
  const request = { method: req.method, path, asker: askerOf(req.principal), headers, signal };
  const client = connectionOf(req);
  if (client) return forwardSocket(client, res, { ...forwarding, request });
  try {
    const sent = body ?? (hasBody(req) ? req : undefined);
    const reply = await requestPeer(cluster, host, { ...request, ...(sent !== undefined && { body: sent }) });
    copyHead(reply, res, forwarding);
    res.flushHeaders();
    await pipeline(reply.body, res);
  } catch (error) {
    // The client has gone.
    if (res.destroyed || systemCode(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
    if (!res.headersSent) throw error;
    res.destroy();
  }
}

/** Joins both connections once the host has agreed; what it refuses goes back as a reply. */
async function forwardSocket(
  { socket, head }: NonNullable<ReturnType<typeof connectionOf>>,
  res: Response,
  { cluster, host, request, ...rest }: Forwarding & { readonly request: Parameters<typeof upgradePeer>[2] },
): Promise<void> {
  let there: Dispatcher.UpgradeData;
  try {
    there = await upgradePeer(cluster, host, request);
  } catch {
    // A plain request returns the reason as a problem.
    const reply = await requestPeer(cluster, host, request);
    copyHead(reply, res, { cluster, host, ...rest });
    await pipeline(reply.body, res);
    return;
  }
  res.statusCode = 101;
  const agreed = { ...passedOn(there.headers), connection: 'Upgrade', upgrade: 'websocket' };
  const lines = Object.entries(agreed).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  socket.write(`HTTP/1.1 101 ${STATUS_CODES[101] ?? ''}\r\n${lines.join('')}\r\n`);
  if (head.length > 0) there.socket.write(head);
  // When one side ends, so does the other.
  const cut = (): void => {
    socket.destroy();
    there.socket.destroy();
  };
  request.signal.addEventListener('abort', cut, { once: true });
  await Promise.all([pipeline(socket, there.socket), pipeline(there.socket, socket)]).catch(() => undefined);
  cut();
}

/** Requests to other hosts of the cluster on behalf of a user of this host. */
import type { Request } from 'express';
import type { Dispatcher } from 'undici';
import type { Principal } from '../../access/model/principal.ts';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import type { Asker } from '../../cluster/model/message.ts';
import { passHeader } from '../../cluster/model/pass-header.ts';
import { AppError, messageOf } from '../../lib/app-error.ts';

/** The user of the request as other hosts receive it. */
export function askerOf(principal: Principal | undefined): Asker {
  if (principal === undefined || principal.name === null) return null;
  const { name, role, workdirs } = principal;
  return { name, role, workdirs: workdirs === null ? null : [...workdirs] };
}

export interface PeerRequest {
  readonly method: string;
  /** Below the base path, with its query. */
  readonly path: string;
  readonly asker: Asker;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly signal: AbortSignal;
}

function unavailable(host: Host, cause?: unknown): AppError {
  const how = cause === undefined ? 'is away' : `does not answer: ${messageOf(cause)}`;
  // A host that restarts is back within seconds.
  return new AppError('host-unavailable', `the host ${host.name} ${how}`, { cause, retryAfterSeconds: 5 });
}

/** The options that all requests to a host share. @throws AppError `host-unavailable` when it cannot be asked. */
function addressed(
  cluster: ClusterService,
  host: Host,
  { method, path, asker, headers, signal }: PeerRequest,
) {
  const { origin, pathname } = new URL(host.url);
  const target = `${pathname.replace(/\/+$/, '')}${path}`;
  const pass = cluster.passFor(host, { method, path: target }, asker);
  if (host.state === 'away' || pass === undefined) throw unavailable(host);
  return { origin, path: target, method, headers: { ...headers, [passHeader]: pass }, signal };
}

/** @throws AppError `host-unavailable`; whatever the signal was aborted with. */
export async function requestPeer(
  cluster: ClusterService,
  host: Host,
  request: PeerRequest & { readonly body?: Dispatcher.RequestOptions['body'] },
): Promise<Dispatcher.ResponseData> {
  const options = addressed(cluster, host, request);
  // Of this request: a host that was found to be away has a new one.
  const away = cluster.awaySignal(host.id);
  try {
    const reply = await cluster.connectionTo(host).request({
      ...options,
      method: options.method,
      body: request.body ?? null,
    });
    if (reply.statusCode !== 401) return reply;
    await reply.body.dump();
    // This host has accepted the user, so the other host could not check the pass or has another secret.
    throw new Error('it did not let this host in');
  } catch (error) {
    if (request.signal.aborted && !away.aborted) throw error;
    throw unavailable(host, away.aborted ? undefined : error);
  }
}

/** Opens a WebSocket at a host. If the host answers with a plain reply, returns that. */
export async function upgradePeer(
  cluster: ClusterService,
  host: Host,
  request: PeerRequest,
): Promise<Dispatcher.UpgradeData> {
  const options = addressed(cluster, host, request);
  return cluster.connectionTo(host).upgrade({ ...options, protocol: 'websocket' });
}

/** The path of a request below the base path, with its query. */
export function pathOf({ originalUrl }: Pick<Request, 'originalUrl'>, basePath: string): string {
  return originalUrl.slice(basePath.length) || '/';
}

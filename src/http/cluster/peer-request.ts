/** Requests that another host of the cluster has passed on: it knows who asks, and has let them in. */
import type { Request, RequestHandler } from 'express';
import { principalOf } from '../../cluster/model/asker-principal.ts';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import { passHeader } from '../../cluster/model/pass-header.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { addressOf } from '../request/address.ts';

interface PeerRequestDeps {
  readonly cluster: ClusterService;
  /** Whether this host has users; if so, each request must name its user. */
  readonly isLoginRequired: boolean;
  readonly log: Logger;
}

/** Lets in what comes with a pass; everything else goes on as if there were no cluster. */
export function peerRequest(
  { cluster, isLoginRequired, log }: PeerRequestDeps,
  others: RequestHandler,
): RequestHandler {
  return (req, res, next) => {
    const pass = req.get(passHeader);
    if (pass === undefined) return others(req, res, next);
    const redeemed = cluster.redeem(pass, { method: req.method, path: req.originalUrl });
    if (redeemed === undefined || (redeemed.asker === null && isLoginRequired)) {
      log.warn('a request was refused that says to come from a host of the cluster', {
        address: addressOf(req),
      });
      const message =
        'no host of this cluster has passed this request on just now: the pass is wrong, old, or was used before';
      throw new AppError('unauthorized', message);
    }
    req.principal = principalOf(redeemed.asker);
    req.isPassedOn = true;
    next();
  };
}

/** Whether this host is to answer for itself alone. */
export function isPassedOn(req: Request): boolean {
  return req.isPassedOn === true;
}

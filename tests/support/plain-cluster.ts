/** A cluster as the routes know it, of hosts that a test makes up: no Redis, and no other service. */
import { afterAll } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import { Agent } from 'undici';
import type { Principal } from '../../src/access/model/principal.ts';
import type { ClusterService, PassedRequest } from '../../src/cluster/model/cluster-service.ts';
import type { Host } from '../../src/cluster/model/host.ts';
import type { Asker } from '../../src/cluster/model/message.ts';
import { errors } from '../../src/http/middleware/errors.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { MemoryLogger } from './memory-logger.ts';

const connection = new Agent();
afterAll(async () => connection.destroy());

export function hostNamed(name: string, more: Partial<Host> = {}): Host {
  const url = 'http://127.0.0.1:1';
  return { id: `id-${name}`, name, url, state: 'up', isThis: false, clis: [], ...more } as Host;
}

/** One whose server listens at this port. */
export function hostAt(port: number, name = 'two', more: Partial<Host> = {}): Host {
  return hostNamed(name, { url: `http://127.0.0.1:${port}`, ...more });
}

interface PlainCluster extends ClusterService {
  /** What this host has asked others for, and for whom. */
  readonly asked: readonly (PassedRequest & { readonly host: string; readonly asker: Asker })[];
  /** As the registry does it: whoever asks after that has a new signal. */
  readonly lose: (host: Host) => void;
}

/** Of the host `one` and these others. What is asked of it beside hosts and passes must be in `more`. */
export function clusterOf(others: readonly Host[], more: Partial<ClusterService> = {}): PlainCluster {
  const asked: PlainCluster['asked'][number][] = [];
  const away = new Map<string, AbortController>();
  const awayOf = (id: string): AbortController => {
    const known = away.get(id) ?? new AbortController();
    away.set(id, known);
    return known;
  };
  const hosts = [hostNamed('one', { isThis: true }), ...others];
  const cluster: Partial<PlainCluster> = {
    id: 'id-one',
    name: 'one',
    hosts,
    peers: others.filter(({ state }) => state !== 'away'),
    host: (named) => {
      const found = hosts.find(({ id, name }) => id === named || name === named);
      if (!found) throw new AppError('host-not-found', `there is no host "${named}"`);
      return found;
    },
    awaySignal: (id) => awayOf(id).signal,
    connectionTo: () => connection,
    passFor: ({ name }, request, asker) => {
      asked.push({ host: name, ...request, asker });
      return `pass for ${name}`;
    },
    asked,
    lose: ({ id }) => {
      const lost = awayOf(id);
      away.delete(id);
      lost.abort();
    },
    ...more,
  };
  return cluster as PlainCluster;
}

export const olga: Principal = {
  name: 'olga',
  role: 'operator',
  workdirs: null,
  loggedInBy: 'password',
  revoked: new AbortController().signal,
};

/** Answers every request by these, as a service does: with what it knows of the request, and its words for errors. */
export function appOf(principal: Principal | undefined, ...handlers: readonly RequestHandler[]): Express {
  const app = express();
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use((req, _res, next) => {
    req.id = 'the-request';
    req.principal = principal;
    next();
  });
  app.use(...handlers);
  app.use(errors(new MemoryLogger()));
  return app;
}

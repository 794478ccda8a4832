/**
 * A pass goes with each request that a host forwards to another. It names the user and proves that a host of this cluster sent
 * it. A pass is valid for one request to one host, for half a minute by the clock of Redis.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { PassedRequest } from './model/cluster-service.ts';
import { AppError } from '../lib/app-error.ts';
import { askerSchema, type Asker } from './model/message.ts';
import type { RedisClock } from './redis-clock.ts';
import type { Signatures } from './signature.ts';

const validMs = 30_000;

const passSchema = z.object({
  from: z.uuid(),
  to: z.uuid(),
  method: z.string(),
  /** With its query. */
  path: z.string(),
  asker: askerSchema,
  nonce: z.uuid(),
  atMs: z.number(),
});

interface PassesDeps {
  readonly ownId: () => string;
  readonly clock: RedisClock;
  readonly signatures: Signatures;
}

export class Passes {
  readonly #deps: PassesDeps;
  /** Passes that were shown already, oldest first, with the end of their time. */
  readonly #used = new Map<string, number>();

  constructor(deps: PassesDeps) {
    this.#deps = deps;
  }

  /** Undefined before this host has met Redis for the first time. */
  issue(to: string, { method, path }: PassedRequest, asker: Asker): string | undefined {
    const { ownId, clock, signatures } = this.#deps;
    const atMs = clock.nowMs;
    if (atMs === undefined) return undefined;
    const pass = { from: ownId(), to, method, path, asker, nonce: randomUUID(), atMs };
    // A header is bytes of Latin-1; the name of a user need not be.
    return Buffer.from(signatures.sign('pass', pass)).toString('base64url');
  }

  /** The user, if the pass is valid for this request and new; undefined otherwise. Passes older than the start of this service count as used. @throws AppError `cluster-unavailable`. */
  redeem(pass: string, { method, path }: PassedRequest): { readonly asker: Asker } | undefined {
    const { ownId, clock, signatures } = this.#deps;
    const nowMs = clock.nowMs;
    const signed = signatures.verify('pass', Buffer.from(pass, 'base64url').toString());
    const read = passSchema.safeParse(signed).data;
    if (nowMs === undefined)
      throw new AppError('cluster-unavailable', 'this host has not met Redis since its start', {
        retryAfterSeconds: 5,
      });
    if (read === undefined || read.atMs < (clock.sinceMs ?? 0)) return undefined;
    const isForThis = read.to === ownId() && read.method === method && read.path === path;
    if (!isForThis || Math.abs(nowMs - read.atMs) > validMs || this.#used.has(read.nonce)) return undefined;
    this.#forgetOld(nowMs);
    this.#used.set(read.nonce, nowMs + 2 * validMs);
    return { asker: read.asker };
  }

  #forgetOld(nowMs: number): void {
    for (const [nonce, endsAtMs] of this.#used) {
      if (endsAtMs > nowMs) return;
      this.#used.delete(nonce);
    }
  }
}

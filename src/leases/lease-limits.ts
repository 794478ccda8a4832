/** How long labs may live on this server. */
import { cleaningActions, specOf, type Action, leasedActions } from '../labs/model/actions.ts';
import { invalidField } from '../lib/app-error.ts';
import { formatDuration } from '../lib/text/duration.ts';
import type { WantedEnd } from './lease-service.ts';

export interface LeaseLimits {
  /** For a request that names no time; undefined for a life without end. */
  readonly defaultTtlMs: number | undefined;
  readonly maxTtlMs: number | undefined;
}

interface TtlRequest {
  readonly action: Action;
  readonly ttlSeconds?: number | undefined;
  readonly options: { readonly dryRun?: boolean | undefined };
}

function tooLong(field: string, maxTtlMs: number): Error {
  return invalidField(
    field,
    `must not be over ${maxTtlMs / 1000} s (${formatDuration(maxTtlMs)}) from now, the limit of this server`,
  );
}

interface Run {
  readonly action: Action;
  readonly request: { readonly dryRun?: unknown };
}

/** Whether a job starts a lab, which may have a lease then. */
export function startsLab({ action, request }: Run): boolean {
  return leasedActions.includes(action) && request.dryRun !== true;
}

/** Whether a job may start anew the lab that is there (`restart`). */
export function mayRestartLab({ action }: Run): boolean {
  return specOf(action).locksWorkdir;
}

/** Whether a job stops a lab. */
export function stopsLab({ action, request }: Run): boolean {
  return (cleaningActions as readonly string[]).includes(action) && request.dryRun !== true;
}

/**
 * How long the lab of a request is to live, in ms; null for ever. Where there is a maximum, it holds for those as well that
 * name no time: a limit that goes away with a field would be none.
 * @throws AppError `invalid-request` when that is longer than the server allows.
 */
export function ttlMsOf(request: TtlRequest, { defaultTtlMs, maxTtlMs }: LeaseLimits): number | null {
  if (!startsLab({ action: request.action, request: request.options })) return null;
  const wantedMs = request.ttlSeconds === undefined ? undefined : Math.ceil(request.ttlSeconds * 1000);
  if (wantedMs !== undefined && maxTtlMs !== undefined && wantedMs > maxTtlMs)
    throw tooLong('ttlSeconds', maxTtlMs);
  return wantedMs ?? defaultTtlMs ?? maxTtlMs ?? null;
}

/** The requested expiry in ms since 1970; null for never. @throws AppError `invalid-request`. */
export function endMsOf(end: WantedEnd, { maxTtlMs }: LeaseLimits, nowMs: number): number | null {
  const field = end.kind === 'ttl' ? 'ttlSeconds' : 'expiresAt';
  if (end.kind === 'never') {
    if (maxTtlMs === undefined) return null;
    throw invalidField(
      field,
      `must not be null: on this server, labs live for ${formatDuration(maxTtlMs)} at most`,
    );
  }
  const endMs = end.kind === 'ttl' ? nowMs + end.ttlMs : Date.parse(end.at);
  if (endMs <= nowMs) throw invalidField(field, 'must be in the future; "down" takes a lab down now');
  if (maxTtlMs !== undefined && endMs > nowMs + maxTtlMs) throw tooLong(field, maxTtlMs);
  return endMs;
}

/** How long labs may live on this server. */
import { cleaningActions, specOf, type Action, leasedActions } from '../labs/model/actions.ts';
import { invalidField } from '../lib/app-error.ts';
import { formatDuration } from '../lib/text/duration.ts';
import type { WantedEnd } from './lease-service.ts';

export interface LeaseLimits {
  /** For a request that names no time; undefined for a life without end. */
  readonly defaultTtlMs: number | undefined;
  readonly maxTtlMs: number | undefined;
  /** The longest lease of the user (`quotas` of the users file). Absent: the limit of the server alone applies. */
  readonly quotaMs?: number | undefined;
}

/** The shortest limit, and whose it is. */
function longestOf({ maxTtlMs = Infinity, quotaMs = Infinity }: LeaseLimits) {
  const ms = Math.min(maxTtlMs, quotaMs);
  const whose = quotaMs < maxTtlMs ? 'your quota' : 'the limit of this server';
  return { ms: ms === Infinity ? undefined : ms, whose } as const;
}

interface TtlRequest {
  readonly action: Action;
  readonly ttlSeconds?: number | undefined;
  readonly options: { readonly dryRun?: boolean | undefined };
}

function tooLong(field: string, longestMs: number, whose: string): Error {
  return invalidField(
    field,
    `must not be over ${longestMs / 1000} s (${formatDuration(longestMs)}) from now, ${whose}`,
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
export function ttlMsOf(request: TtlRequest, limits: LeaseLimits): number | null {
  if (!startsLab({ action: request.action, request: request.options })) return null;
  const wantedMs = request.ttlSeconds === undefined ? undefined : Math.ceil(request.ttlSeconds * 1000);
  const { ms: longestMs, whose } = longestOf(limits);
  if (wantedMs !== undefined && longestMs !== undefined && wantedMs > longestMs)
    throw tooLong('ttlSeconds', longestMs, whose);
  const { defaultTtlMs = longestMs } = limits;
  return wantedMs ?? (defaultTtlMs === undefined ? null : Math.min(defaultTtlMs, longestMs ?? Infinity));
}

/** The requested expiry in ms since 1970; null for never. @throws AppError `invalid-request`. */
export function endMsOf(end: WantedEnd, limits: LeaseLimits, nowMs: number): number | null {
  const { ms: longestMs, whose } = longestOf(limits);
  const field = end.kind === 'ttl' ? 'ttlSeconds' : 'expiresAt';
  if (end.kind === 'never') {
    if (longestMs === undefined) return null;
    throw invalidField(
      field,
      `must not be null: labs live for ${formatDuration(longestMs)} at most, ${whose}`,
    );
  }
  const endMs = end.kind === 'ttl' ? nowMs + end.ttlMs : Date.parse(end.at);
  if (endMs <= nowMs) throw invalidField(field, 'must be in the future; "down" takes a lab down now');
  if (longestMs !== undefined && endMs > nowMs + longestMs) throw tooLong(field, longestMs, whose);
  return endMs;
}

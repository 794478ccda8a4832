/** How long a lab may live: what is kept of it, and what it says at a given moment. Times are RFC 3339 UTC. */
import * as z from 'zod';
import { jobSchema } from '../jobs/model/job.ts';

const time = z.iso.datetime();

/** The lease of a lab whose `up` has not ended, or whose lab could not be looked for yet. */
export const expectedLeaseSchema = z.object({
  /** The id of the `up`. */
  job: jobSchema.shape.id,
  workdir: z.string(),
  /** From the end of the `up` on, in ms. */
  ttlMs: z.number().positive(),
  /** Null until the `up` has ended, unless a user has set the time before, which overrides `ttlMs`. */
  expiresAt: time.nullable(),
  isMoment: z.boolean(),
});
export type ExpectedLease = Readonly<z.infer<typeof expectedLeaseSchema>>;

/** A lab that this service has started, and that is to have an end. */
export const leaseSchema = z.object({
  /** The id of the `up` that started it. */
  job: jobSchema.shape.id,
  action: jobSchema.shape.action,
  workdir: z.string(),
  labels: z.record(z.string(), z.string()),
  instance: z.string(),
  /** The lab CLI that has it; null when an earlier version wrote this. */
  cli: z.string().nullable().default(null),
  /** Identifies this start of the lab in the status; null if the lab CLI does not report it. */
  run: z.string().nullable(),
  expiresAt: time,
  /** A user has set the time itself: it stays when the clock is set. */
  isMoment: z.boolean(),
  /** The last warning that was sent or is overdue, in minutes before the end; null before the first. */
  warnedMinutes: z.number().nullable(),
  /** How often the lab could not be taken down in a row, why, and when it is tried again. */
  tries: z.int(),
  why: z.string().nullable(),
  nextTryAt: time.nullable(),
});
export type Lease = Readonly<z.infer<typeof leaseSchema>>;

/** Minutes before the end at which an event goes out, last one first. */
const warnings = [5, 15] as const;

const firstRetryMs = 60_000;
const longestRetryMs = 3_600_000;

function leftMs({ expiresAt }: Pick<Lease, 'expiresAt'>, nowMs: number): number {
  return Date.parse(expiresAt) - nowMs;
}

/** The latest warning that is due when so much is left. */
function warningAt(left: number): number | null {
  return warnings.find((minutes) => left <= minutes * 60_000) ?? null;
}

/** The lease with another end, before any warning or attempt. */
export function withEnd(lease: Lease, end: Pick<Lease, 'expiresAt' | 'isMoment'>, nowMs: number): Lease {
  const fresh = { ...lease, ...end, tries: 0, why: null, nextTryAt: null };
  // A lab that ends in ten minutes gets no warning of fifteen minutes.
  return { ...fresh, warnedMinutes: warningAt(leftMs(fresh, nowMs)) };
}

export function isOver(lease: Pick<Lease, 'expiresAt'>, nowMs: number): boolean {
  return leftMs(lease, nowMs) <= 0;
}

/** The warning to send now, in minutes before the end; after a time without the service, only the latest one. */
export function dueWarning(lease: Lease, nowMs: number): number | null {
  const minutes = warningAt(leftMs(lease, nowMs));
  if (minutes === null || isOver(lease, nowMs)) return null;
  return lease.warnedMinutes === null || minutes < lease.warnedMinutes ? minutes : null;
}

/** Whether the lab is to be taken down now. */
export function isDue(lease: Lease, nowMs: number): boolean {
  return isOver(lease, nowMs) && (lease.nextTryAt === null || Date.parse(lease.nextTryAt) <= nowMs);
}

/** The lease after the lab could not be taken down: a minute later it is tried again, then after two, four, … up to an hour. */
export function afterFailure(lease: Lease, why: string, nowMs: number): Lease {
  const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(lease.tries, 20));
  return { ...lease, tries: lease.tries + 1, why, nextTryAt: new Date(nowMs + waitMs).toISOString() };
}

/** When something is to be done about it next, in ms since 1970. */
export function nextMoments(lease: Lease): readonly number[] {
  const endMs = Date.parse(lease.expiresAt);
  const retry = lease.nextTryAt === null ? [] : [Date.parse(lease.nextTryAt)];
  return [endMs, ...warnings.map((minutes) => endMs - minutes * 60_000), ...retry];
}

const shifted = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** The same when the clock was set by so much: what was said to last an hour lasts an hour, whatever the clock says. */
export function withClockSet(lease: Lease, byMs: number): Lease {
  const nextTryAt = lease.nextTryAt && shifted(lease.nextTryAt, byMs);
  return { ...withEndMoved(lease, byMs), nextTryAt };
}

/** A time that a user has set stays. */
export function withEndMoved<T extends Pick<ExpectedLease, 'expiresAt' | 'isMoment'>>(
  end: T,
  byMs: number,
): T {
  const { expiresAt, isMoment } = end;
  return isMoment || expiresAt === null ? end : { ...end, expiresAt: shifted(expiresAt, byMs) };
}

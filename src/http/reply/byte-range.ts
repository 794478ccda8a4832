import type { Request } from 'express';

/** Bytes `start` to `end`, both included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of `size` bytes that the request's `Range` asks for (RFC 9110, section 14). Several ranges at once, a unit
 * that we do not know, and every method but GET get the whole, which section 14.2 allows.
 */
export function requestedRange(req: Request, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (req.method !== 'GET') return 'whole';
  // Section 14.1.2: a suffix longer than the content stands for all of it; range-parser calls it unsatisfiable.
  const suffix = /^bytes=-(\d+)$/.exec(req.get('Range') ?? '')?.[1];
  if (suffix !== undefined && size > 0 && Number(suffix) >= size) return { start: 0, end: size - 1 };
  const ranges = req.range(size, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  const [range, ...others] = Array.isArray(ranges) && ranges.type === 'bytes' ? ranges : [];
  return range && others.length === 0 ? range : 'whole';
}

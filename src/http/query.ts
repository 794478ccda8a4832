import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest } from '../lib/app-error.ts';
import { issueWords } from '../lib/issue-words.ts';

/**
 * The query of a request, checked. Parameters that the schema does not know are ignored, as HTTP clients expect.
 * @throws AppError `invalid-request` that names each wrong parameter.
 */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, req: Request): z.output<Schema> {
  const parsed = schema.safeParse({ ...req.query }, { error: issueWords });
  if (parsed.success) return parsed.data;
  // A list of three wrong states is one wrong parameter, and its name is `state`.
  const byParameter = new Map(parsed.error.issues.toReversed().map((issue) => [issue.path[0] ?? '', issue]));
  throw invalidRequest(
    [...byParameter].toReversed().map(([name, { message }]) => ({ path: [name], message })),
  );
}

/** A query parameter that is a whole number within bounds. */
export function wholeNumberParameter(min: number, max: number) {
  return z
    .string({ error: 'must be given once' })
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`);
}

/** A query parameter that is a number of seconds, fractions allowed, from 0 to a maximum. */
export function secondsParameter(max: number) {
  const message = `must be a number of seconds from 0 to ${max}`;
  return z
    .string({ error: 'must be given once' })
    .regex(/^\d+(\.\d+)?$/, message)
    .transform(Number)
    .refine((seconds) => seconds <= max, message);
}

/** `a=1&a=2` and `a=1,2` alike, as one list. */
export function listParameter<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (given) => (typeof given === 'string' || Array.isArray(given) ? given.toString().split(',') : []),
    z.array(item),
  );
}

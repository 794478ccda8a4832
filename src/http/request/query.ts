import type { Request } from 'express';
import * as z from 'zod';
import { invalidRequest } from '../../lib/app-error.ts';
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { parseDuration } from '../../lib/text/duration.ts';

const maxNamedParameters = 20;

/**
 * The query of a request, checked. A parameter that the schema does not know is refused, for a filter that is not
 * applied is a wrong answer: `?stat=failed` would list every job.
 * @throws AppError `invalid-request` that names each wrong or unknown parameter.
 */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, req: Request): z.output<Schema> {
  const known = Object.keys(schema.shape);
  // Express takes the query apart each time that it is asked for it.
  const given = { ...req.query };
  const unknown = Object.keys(given)
    // Caches are passed by with a parameter that means nothing, `_` or `_=1700000000`, by custom.
    .filter((name) => !known.includes(name) && !/^_(?!_)/.test(name))
    .slice(0, maxNamedParameters)
    .map((name) => ({ path: [name.slice(0, 100)], message: `unknown parameter${didYouMean(name, known)}` }));
  const parsed = schema.safeParse(given, { error: issueWords });
  if (parsed.success && unknown.length === 0) return parsed.data;
  // A list of three wrong states is one wrong parameter, and its name is `state`.
  const byParameter = new Map(
    parsed.error?.issues.toReversed().map((issue) => [issue.path[0] ?? '', issue]) ?? [],
  );
  const wrong = [...byParameter].toReversed().map(([name, { message }]) => ({ path: [name], message }));
  throw invalidRequest([...unknown, ...wrong]);
}

/** `parseQuery` for many requests: most have no query at all, and share what that comes to. */
export function queryReader<Schema extends z.ZodObject>(schema: Schema): (req: Request) => z.output<Schema> {
  let ofNone: z.output<Schema> | undefined;
  return (req) => {
    if (req.url.includes('?')) return parseQuery(schema, req);
    if (ofNone === undefined) Object.freeze((ofNone = parseQuery(schema, req)));
    return ofNone;
  };
}

export const once = z.string({ error: 'must be given once' });

/** A query parameter that is a whole number within bounds. */
export function wholeNumberParameter(min: number, max: number) {
  return once
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ documentedAs: { type: 'integer', minimum: min, maximum: max } });
}

/** A query parameter that is a number of seconds, as JSON writes it (`0.5`, `2e-16`), from 0 to a maximum. */
export function secondsParameter(max: number) {
  const message = `must be a number of seconds from 0 to ${max}`;
  return once
    .regex(/^\d+(\.\d+)?(e[+-]?\d+)?$/i, message)
    .transform(Number)
    .refine((seconds) => seconds <= max, message)
    .meta({ documentedAs: { type: 'number', minimum: 0, maximum: max } });
}

const lastMomentMs = Date.parse('9999-12-31T23:59:59.999Z');
const ago = /^\d{1,6}[smhd]$/;
const momentForms = [z.iso.datetime({ offset: true }), z.iso.date(), z.string().regex(ago)] as const;

/** A query parameter that is a moment: a time or a date (UTC) of RFC 3339, or how long ago it was (`30m`, `7d`). */
export function momentParameter() {
  const message =
    'must be a time (2026-01-31T12:00:00Z), a date (2026-01-31), or how long ago (30m, 24h, 7d)';
  return (
    once
      .refine((text) => momentForms.some((form) => form.safeParse(text).success), message)
      .transform((text) => (ago.test(text) ? Date.now() - (parseDuration(text) ?? 0) : Date.parse(text)))
      // Times of records are compared as text: all years have four digits.
      .transform((ms) => new Date(Math.min(Math.max(ms, 0), lastMomentMs)))
      .meta({
        documentedAs: {
          anyOf: [
            { type: 'string', format: 'date-time' },
            { type: 'string', format: 'date' },
            { type: 'string', pattern: ago.source },
          ],
        },
      })
  );
}

/** A query parameter that is `true` or `false`. */
export function flagParameter() {
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .meta({ documentedAs: { type: 'boolean' } });
}

/** `a=1&a=2` and `a=1,2` alike, as one list. */
export function listParameter<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (given) => (typeof given === 'string' || Array.isArray(given) ? given.toString().split(',') : []),
    z.array(item),
  );
}

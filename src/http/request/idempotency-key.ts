import { userOf } from './user.ts';
import type { Request } from 'express';
import { invalidField } from '../../lib/app-error.ts';
import { fingerprintOf, type IdempotencyClaim } from '../../jobs/model/idempotency-claim.ts';

const header = 'Idempotency-Key';

/** The bare form that most clients send: visible ASCII, not beginning like a string. */
const token = /^[!#-~][!-~]{0,254}$/;
/** A string of RFC 9651, section 3.3.3, as draft-ietf-httpapi-idempotency-key-header wants it. */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;

/** Both forms. */
export const idempotencyKeyPattern = new RegExp(`${token.source}|${quotedString.source}`);

function parseKey(given: string): string {
  if (token.test(given)) return given;
  const quoted = quotedString.exec(given)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  throw invalidField(header, 'must be 1 to 255 visible ASCII characters, bare or as a quoted string');
}

/**
 * The claim that a client makes with its `Idempotency-Key`; undefined without one. `operation` distinguishes requests with the
 * same body.
 * @throws AppError `invalid-request` that names the header.
 */
export function idempotencyClaim(req: Request, operation: string): IdempotencyClaim | undefined {
  const given = req.get(header);
  if (given === undefined) return undefined;
  return { user: userOf(req), key: parseKey(given), fingerprint: fingerprintOf(operation, req.body) };
}

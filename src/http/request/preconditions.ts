import type { Request } from 'express';
import { AppError } from '../../lib/app-error.ts';

/** The entity tags in a header (RFC 9110, section 8.8.3); a weak one is none that a write may rely on. */
function tagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/**
 * Returns a check of `If-Match` and `If-None-Match` (RFC 9110, section 13.1). Call it with the entity tag of the file to write or
 * remove, or with undefined if there is no file. @throws AppError `precondition-failed`.
 */
export function preconditionOf(req: Request): (etag: string | undefined) => void {
  const [wanted, unwanted] = [req.get('If-Match'), req.get('If-None-Match')];
  return (etag) => {
    const isWanted =
      wanted === undefined ||
      (etag !== undefined && (wanted.trim() === '*' || tagsIn(wanted).includes(etag)));
    const isUnwanted =
      unwanted !== undefined &&
      etag !== undefined &&
      (unwanted.trim() === '*' || tagsIn(unwanted).includes(etag));
    if (isWanted && !isUnwanted) return;
    const now = etag === undefined ? 'there is no such file' : `its entity tag is ${etag}`;
    throw new AppError('precondition-failed', `the file is another one by now: ${now}`);
  };
}

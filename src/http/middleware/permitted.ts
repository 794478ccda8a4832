import type { RequestHandler } from 'express';
import { anybody } from '../../access/model/principal.ts';
import { roleFor, roleMay, type Permission } from '../../access/model/role.ts';
import { AppError } from '../../lib/app-error.ts';

/** For a server without users. */
export const admitAnybody: RequestHandler = (req, _res, next) => {
  req.principal = anybody;
  next();
};

/** Longer bodies of refused requests, and those of unknown length, are not read. */
const maxRefusedBytes = 16 * 1024;

/**
 * Refuses users who may not call a route. Of a user's refused request, `readBody` reads the body first: the audit says what was
 * wanted. A body that it refuses makes no difference.
 */
export function permitted(permission: Permission, readBody?: RequestHandler): RequestHandler {
  const least = roleFor(permission);
  return (req, res, next) => {
    const { principal } = req;
    if (least === undefined) return next();
    if (principal === undefined) throw new AppError('unauthorized', 'a login is required');
    if (roleMay(principal.role, permission)) return next();
    const who = `${principal.name ?? 'you'} (${principal.role})`;
    const refusal = new AppError('forbidden', `this needs the role ${least}, which ${who} does not have`);
    const isShort = Number(req.get('content-length')) <= maxRefusedBytes;
    if (readBody && isShort) void readBody(req, res, () => next(refusal));
    else next(refusal);
  };
}

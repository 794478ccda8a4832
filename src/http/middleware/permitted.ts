import type { RequestHandler } from 'express';
import { anybody } from '../../access/model/principal.ts';
import { roleFor, roleMay, type Permission } from '../../access/model/role.ts';
import { AppError } from '../../lib/app-error.ts';

/** For a server without users. */
export const admitAnybody: RequestHandler = (req, _res, next) => {
  req.principal = anybody;
  next();
};

/** Refuses users who may not call a route, before the request's body is read. */
export function permitted(permission: Permission): RequestHandler {
  const least = roleFor(permission);
  return ({ principal }, _res, next) => {
    if (least === undefined) return next();
    if (principal === undefined) throw new AppError('unauthorized', 'a login is required');
    if (roleMay(principal.role, permission)) return next();
    const who = `${principal.name ?? 'you'} (${principal.role})`;
    throw new AppError('forbidden', `this needs the role ${least}, which ${who} does not have`);
  };
}

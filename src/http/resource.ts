import type { Request, RequestHandler, Response, Router } from 'express';
import { AppError } from '../lib/app-error.ts';

type Handler = (req: Request, res: Response) => Promise<void> | void;

interface Handlers {
  readonly get?: Handler;
  readonly post?: readonly [...RequestHandler[], Handler];
  readonly delete?: Handler;
}

/** Adds one path with its methods; HEAD goes with GET, and every other method is answered 405 with `Allow`. */
export function resource(router: Router, path: string, handlers: Handlers): void {
  const route = router.route(path);
  const allowed: string[] = [];
  if (handlers.get) {
    route.get(handlers.get);
    allowed.push('GET', 'HEAD');
  }
  if (handlers.post) {
    route.post(...handlers.post);
    allowed.push('POST');
  }
  if (handlers.delete) {
    route.delete(handlers.delete);
    allowed.push('DELETE');
  }
  route.all((req, res) => {
    res.set('Allow', [...allowed, 'OPTIONS'].join(', '));
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new AppError('method-not-allowed', `${req.method} is not possible here; use ${allowed.join(', ')}`);
  });
}

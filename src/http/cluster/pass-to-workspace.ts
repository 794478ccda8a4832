import type { Request, Response } from 'express';
import { workspaceNamePattern } from '../../labs/workspaces/workspace-places.ts';
import type { HttpContext } from '../context.ts';
import { forward } from './forward.ts';
import { isPassedOn } from './peer-request.ts';
import { pathOf } from './peers.ts';

/** Has the host answer that has the workspace which the body of a request names; false when that is this one. */
export async function passToWorkspace(
  { req, res }: { readonly req: Request; readonly res: Response },
  name: string | undefined,
  { cluster, config: { basePath } }: Pick<HttpContext, 'cluster' | 'config'>,
): Promise<boolean> {
  // Invalid names are refused by this host.
  if (!cluster || isPassedOn(req) || name === undefined || !workspaceNamePattern.test(name)) return false;
  const host = await cluster.hostOfWorkspace(name);
  if (host === undefined || host.isThis) return false;
  const body = JSON.stringify(req.body);
  await forward(req, res, { cluster, host, path: pathOf(req, basePath), basePath, body });
  return true;
}

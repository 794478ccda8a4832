/** Tells the audit of requests that change something, or are refused. */
import type { Request, RequestHandler, Response } from 'express';
import type { AuditEntry, AuditLog, AuditTarget } from '../../access/model/audit.ts';
import type { Permission } from '../../access/model/role.ts';
import { codeOf } from '../reply/problem.ts';
import { pathForLogs } from '../request/path-for-logs.ts';
import { statusOf, whenStream } from './observe-requests.ts';

/** What the audit has to know of a route. */
interface AuditedRoute {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly permission: Permission;
  readonly changesNothing?: true;
}

/** The route that a request has come to. */
interface Found {
  readonly route: AuditedRoute;
  target: AuditTarget;
}

const found = new WeakMap<Request, Found>();

/** What the parameter `id` or `name` names, by the first word of the path. */
const named: Readonly<Record<string, keyof AuditTarget>> = {
  jobs: 'job',
  labs: 'lab',
  workspaces: 'workspace',
};

/** Of anything else than a text, whatever a client sent, nothing is made: lists in lists would end the service at some depth. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Express gives a path with slashes in parts. */
const pathOf = (value: unknown): string | undefined => textOf(Array.isArray(value) ? value.join('/') : value);

/** Without those that have no value. */
function given<T extends object>(fields: { [name in keyof T]: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Express forgets the parameters when the handler throws, so they are taken when the route is found. */
function targetOf({ path }: AuditedRoute, params: Readonly<Record<string, unknown>>): AuditTarget {
  const subject = named[path.split('/')[1] ?? ''];
  return given<AuditTarget>({
    ...(subject && { [subject]: textOf(params['id'] ?? params['name']) }),
    node: textOf(params['node']),
    interface: textOf(params['interface']),
    file: pathOf(params['path']),
  });
}

/** What a body says of the job that is wanted, for requests that make none. */
function wantedOf({ body }: Request): AuditTarget {
  const { action, workdir, workspace } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return given<AuditTarget>({
    action: textOf(action),
    workdir: textOf(workdir),
    workspace: textOf(workspace),
  });
}

function entryOf(req: Request, event: AuditEntry['event'], address: string | undefined): AuditEntry {
  const { principal, id: requestId, method } = req;
  const { route, target } = found.get(req) ?? {};
  const who = {
    user: principal?.name ?? undefined,
    role: principal?.role,
    loggedInBy: principal?.loggedInBy,
    tokenId: principal?.tokenId,
    address,
  };
  const what = { operation: route?.operationId, method, path: pathForLogs(req) };
  return given<AuditEntry>({ event, requestId, ...who, ...what, ...wantedOf(req), ...target });
}

function isChange({ method, permission, changesNothing }: AuditedRoute): boolean {
  // Of those with GET, terminals and captures ask for more than reading.
  return (method !== 'get' || permission === 'operate') && changesNothing !== true;
}

const refusals: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/** What came to no route and is 400 was refused by one of the middleware: nobody else could have. */
function isAudited(req: Request, status: number | undefined): boolean {
  const route = found.get(req)?.route;
  return refusals.has(status) || (route === undefined ? status === 400 : isChange(route));
}

/** What has become of it. A connection that is taken over has no reply that could be whole. */
function outcomeOf(res: Response, startedMs: number) {
  const status = statusOf(res);
  return {
    ...(status !== undefined && { status }),
    ...given<Pick<AuditEntry, 'error'>>({ error: codeOf(res) }),
    durationMs: Math.round(performance.now() - startedMs),
    ...(!res.writableFinished && status !== 101 && ({ aborted: true } as const)),
  };
}

/** Has a line made of each request that changes something or is refused, when its reply has ended. */
export function auditRequests({ note }: AuditLog): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    // Once the connection is gone, nobody knows any more.
    const address = req.ip;
    res.once('close', () => {
      if (isAudited(req, statusOf(res)))
        note({ ...entryOf(req, 'request', address), ...outcomeOf(res, startedMs) });
    });
    next();
  };
}

/** Notes the route that a request has come to, and has a line made when it turns into a stream: a crash must not hide a terminal. */
export function auditRoute(route: AuditedRoute, { note }: AuditLog): RequestHandler {
  return (req, res, next) => {
    found.set(req, { route, target: targetOf(route, req.params) });
    if (isChange(route)) whenStream(res, () => note(entryOf(req, 'opened', req.ip)));
    next();
  };
}

/** Tells what the request was about, where its path does not. */
export function noteTarget(req: Request, target: AuditTarget): void {
  const known = found.get(req);
  if (known) known.target = { ...known.target, ...target };
}

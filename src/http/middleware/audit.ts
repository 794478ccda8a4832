/** Reports requests that change something or are refused to the audit. */
import type { Request, RequestHandler, Response } from 'express';
import type { AuditEntry, AuditLog, AuditTarget } from '../../access/model/audit.ts';
import type { Permission } from '../../access/model/role.ts';
import { codeOf } from '../reply/problem.ts';
import { pathForLogs } from '../request/path-for-logs.ts';
import { statusOf, whenStream } from './observe-requests.ts';

/** The properties of a route that the audit needs. */
interface AuditedRoute {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly permission: Permission;
  readonly isChange?: true;
  readonly changesNothing?: true;
}

/** The route that a request has come to. */
interface Found {
  readonly route: AuditedRoute;
  target: AuditTarget;
}

const found = new WeakMap<Request, Found>();

/** The kind of object that the parameter `id` or `name` names, by the first word of the path. */
const named: Readonly<Record<string, keyof AuditTarget>> = {
  jobs: 'job',
  labs: 'lab',
  workspaces: 'workspace',
  users: 'subject',
  tokens: 'token',
  sessions: 'session',
};

/** Ignores all values but text: deeply nested lists of a client would end the service. */
/** A path of a file may have 4,096 bytes (PATH_MAX, limits.h). Longer texts of refused requests would fill the audit. */
const maxTextLength = 4_096;

const givenText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxTextLength) : undefined;

/** Express splits a path at its slashes. */
const pathOf = (value: unknown): string | undefined =>
  givenText(Array.isArray(value) ? value.join('/') : value);

/** Removes the fields without a value. */
function given<T extends object>(fields: { [name in keyof T]: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Express forgets the parameters when the handler throws, so they are read when the route is found. */
function targetOf({ path }: AuditedRoute, params: Readonly<Record<string, unknown>>): AuditTarget {
  const subject = named[path.split('/')[1] ?? ''];
  return given<AuditTarget>({
    ...(subject && { [subject]: givenText(params['id'] ?? params['name']) }),
    node: givenText(params['node']),
    interface: givenText(params['interface']),
    file: pathOf(params['path']),
  });
}

/** Reads the requested job from the body, for requests that fail to make one. */
function wantedOf({ body }: Request): AuditTarget {
  const { action, workdir, workspace, instance } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return given<AuditTarget>({
    action: givenText(action),
    lab: givenText(instance),
    workdir: givenText(workdir),
    workspace: givenText(workspace),
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

function changes({ method, permission, isChange, changesNothing }: AuditedRoute): boolean {
  // Terminals and captures use GET, and need more than the permission to read.
  return (method !== 'get' || permission === 'operate' || isChange === true) && changesNothing !== true;
}

const refusals: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/** A 400 without a route comes from the middleware. */
function isAudited(req: Request, status: number | undefined): boolean {
  const route = found.get(req)?.route;
  return refusals.has(status) || (route === undefined ? status === 400 : changes(route));
}

/** Returns the outcome of a request. A connection that was taken over has no complete reply. */
function outcomeOf(res: Response, startedMs: number) {
  const status = statusOf(res);
  return {
    ...(status !== undefined && { status }),
    ...given<Pick<AuditEntry, 'error'>>({ error: codeOf(res) }),
    durationMs: Math.round(performance.now() - startedMs),
    ...(!res.writableFinished && status !== 101 && ({ aborted: true } as const)),
  };
}

/** Writes a line for each request that changes something or is refused, when its reply has ended. */
export function auditRequests({ note }: AuditLog): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    // Express no longer knows the address when the connection is closed.
    const address = req.ip;
    res.once('close', () => {
      if (isAudited(req, statusOf(res)))
        note({ ...entryOf(req, 'request', address), ...outcomeOf(res, startedMs) });
    });
    next();
  };
}

/** Notes the route of a request, and writes a line when the reply becomes a stream: a crash must not hide a terminal. */
export function auditRoute(route: AuditedRoute, { note }: AuditLog): RequestHandler {
  return (req, res, next) => {
    found.set(req, { route, target: targetOf(route, req.params) });
    if (changes(route)) whenStream(res, () => note(entryOf(req, 'opened', req.ip)));
    next();
  };
}

/** Adds objects that the path of the request does not name. */
export function noteTarget(req: Request, target: AuditTarget): void {
  const known = found.get(req);
  if (known) known.target = { ...known.target, ...target };
}

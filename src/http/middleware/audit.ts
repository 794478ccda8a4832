/** Reports requests that change something or are refused to the audit. */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { AuditEntry, AuditLog, AuditTarget } from '../../access/model/audit.ts';
import { shareWords } from '../../access/model/groups.ts';
import type { Permission } from '../../access/model/role.ts';
import { codeOf } from '../reply/problem.ts';
import { sharesSchema } from '../reply/share-schemas.ts';
import { barredLoginOf } from '../request/log-in.ts';
import { pathForLogs } from '../request/path-for-logs.ts';
import { statusOf, whenStream } from './observe-requests.ts';

/** The properties of a route that the audit needs. */
interface AuditedRoute {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
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
  snapshots: 'snapshot',
  users: 'subject',
  tokens: 'token',
  sessions: 'session',
};

/** A path of a file may have 4,096 bytes (PATH_MAX, limits.h). Longer texts of refused requests would fill the audit. */
const maxTextLength = 4_096;

/** Ignores all values but text: deeply nested lists of a client would end the service. */
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

/** The kind of object that `name` in the body names. */
const madeBy: Readonly<Record<string, keyof AuditTarget>> = {
  '/users': 'subject',
  '/labs/:id/snapshots': 'snapshot',
};

/** Undefined for what is no list of shares: the request is refused. */
function sharesIn(value: unknown): string | undefined {
  const { data } = sharesSchema.safeParse(value);
  return data && shareWords(data);
}

/** Reads what was wanted from the body, for requests that fail to make it. */
function wantedOf({ body }: Request, route: AuditedRoute | undefined): AuditTarget {
  const { action, workdir, workspace, instance, name, shares } = (body ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const made = madeBy[route?.path ?? ''];
  return given<AuditTarget>({
    action: givenText(action),
    lab: givenText(instance),
    workdir: givenText(workdir),
    workspace: givenText(workspace),
    shares: sharesIn(shares),
    ...(made && { [made]: givenText(name) }),
  });
}

interface Told {
  readonly event: AuditEntry['event'];
  readonly address: string | undefined;
  readonly at: Found | undefined;
}

function entryOf(req: Request, { event, address, at }: Told): AuditEntry {
  const { principal, id: requestId, method } = req;
  const { route, target } = at ?? {};
  const who = {
    user: principal?.name ?? undefined,
    role: principal?.role,
    loggedInBy: principal?.loggedInBy,
    tokenId: principal?.tokenId,
    address,
    ...barredLoginOf(req),
  };
  const what = { operation: route?.operationId, method, path: pathForLogs(req) };
  return given<AuditEntry>({ event, requestId, ...who, ...what, ...wantedOf(req, route), ...target });
}

function changes({ method, permission, isChange, changesNothing }: AuditedRoute): boolean {
  // Terminals and captures use GET, and need more than the permission to read.
  return (method !== 'get' || permission === 'operate' || isChange === true) && changesNothing !== true;
}

const refusals: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/** Requests that carry no credentials. */
const bare = new WeakSet<Request>();

export function noteNoCredentials(req: Request): void {
  bare.add(req);
}

/** The page asks this first, also for users who have still to log in. */
function asksWhetherLoggedIn(req: Request, status: number | undefined, at: Found | undefined): boolean {
  return status === 401 && bare.has(req) && at?.route.operationId === 'getSession';
}

/** A 400 without a route comes from the middleware. */
function isAudited(req: Request, status: number | undefined): boolean {
  const route = found.get(req)?.route;
  return refusals.has(status) || (route === undefined ? status === 400 : changes(route));
}

/** Finds the route of a request that was refused before it came there. */
type Finder = (req: Request) => Found | undefined;

/** Lets Express match the path, as it would have done. The request itself stays as it is. */
export function routeFinder(routes: readonly AuditedRoute[], base: string): Finder {
  const router = Router();
  for (const route of routes)
    router[route.method](
      route.path,
      (req) => void found.set(req, { route, target: targetOf(route, req.params) }),
    );
  const all = Router().use(base, router);
  return ({ method, originalUrl }) => {
    const asked = { method, url: originalUrl } as Request;
    all(asked, {} as Response, () => undefined);
    return found.get(asked);
  };
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
export function auditRequests({ note }: AuditLog, finder: Finder): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    // Express no longer knows the address when the connection is closed.
    const address = req.ip;
    res.once('close', () => {
      const status = statusOf(res);
      if (!isAudited(req, status)) return;
      const at = found.get(req) ?? finder(req);
      if (asksWhetherLoggedIn(req, status, at)) return;
      note({ ...entryOf(req, { event: 'request', address, at }), ...outcomeOf(res, startedMs) });
    });
    next();
  };
}

/** Notes the route of a request, and writes a line when the reply becomes a stream: a crash must not hide a terminal. */
export function auditRoute(route: AuditedRoute, { note }: AuditLog): RequestHandler {
  return (req, res, next) => {
    const at = { route, target: targetOf(route, req.params) };
    found.set(req, at);
    const noteOpened = (): void => note(entryOf(req, { event: 'opened', address: req.ip, at }));
    if (changes(route)) whenStream(res, noteOpened);
    // The reply waits for another one of its connection, perhaps for a stream without an end.
    if (changes(route) && res.socket === null) noteOpened();
    next();
  };
}

/** Adds objects that the path of the request does not name. */
export function noteTarget(req: Request, target: AuditTarget): void {
  const known = found.get(req);
  if (known) known.target = { ...known.target, ...target };
}

/**
 * A route as data: method, path, schemas of the request and the replies, and the handler. The routes of Express
 * (`route-table.ts`) and the API document are derived from it.
 */
import type { Request, Response } from 'express';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { AuditTarget } from '../access/model/audit.ts';
import type { Permission } from '../access/model/role.ts';
import type { ClusterService } from '../cluster/model/cluster-service.ts';
import type { Host } from '../cluster/model/host.ts';
import { maxCliName } from '../labs/model/options.ts';
import type { ErrorCode } from '../lib/error-codes.ts';
import type { Job } from '../restricted/job.ts';
import type { Lab } from '../restricted/lab.ts';
import type { Needs } from '../restricted/needs.ts';
import type { Snapshot } from '../restricted/snapshot.ts';
import type { Workspace } from '../restricted/workspace.ts';
import type { HttpContext } from './context.ts';
import type { ReplyHeader, RequestHeader } from './headers.ts';

/** The groups of operations in the reference page and in generated clients. */
export const tags = {
  jobs: 'Start, watch and end runs of the lab CLI.',
  labs: 'The labs that run on this server, and the topologies that it could start.',
  nodes: 'The nodes of a lab: commands, logs, packets and terminals.',
  faults: 'Links and nodes that are broken on purpose, and heal.',
  workspaces: 'Files in and out: directories of labs, and files that jobs made.',
  snapshots: 'Labs that were kept: their files and the configurations of their nodes.',
  users: 'Users, their tokens and their sessions.',
  service: 'The service itself: its health, hosts and description.',
} as const;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export const maxBodyBytes = 1024 * 1024;

/** A JSON body. Without one, `parse` is given `undefined`, or `{}` where the client sent `Content-Length: 0`. */
interface BodySpec<Body> {
  /** Undefined: it must be empty. */
  readonly schema: z.ZodType | undefined;
  readonly isOptional?: true;
  /** `maxBodyBytes` unless it is less. */
  readonly maxBytes?: number;
  /** @throws AppError `invalid-request` that names each wrong field. */
  readonly parse: (body: unknown) => Body;
}

interface UploadSpec {
  readonly description: string;
  readonly mediaTypes: readonly string[];
  readonly isOptional?: true;
}

/** A stream of server-sent events: by the name of each event, the schema of its data. */
export interface EventStreamSpec {
  readonly events: Readonly<Record<string, z.ZodType>>;
}

/** An operation that a client may go on with after a reply. */
interface ReplyLink {
  readonly operationId: string;
  readonly description: string;
  /** By the name of a parameter: where the reply has its value, as a runtime expression of OpenAPI. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A reply with one status. */
export interface ReplySpec {
  readonly description: string;
  /** By media type: the schema of a JSON value, events, `bytes` for anything else. Empty for a reply without a body. */
  readonly content: Readonly<Record<string, z.ZodType | EventStreamSpec | 'bytes'>>;
  /** Those that it may have, besides those of every reply. */
  readonly headers?: readonly ReplyHeader[];
  /** By a name of their own. */
  readonly links?: Readonly<Record<string, ReplyLink>>;
}

/** The things that a route may be about. */
type About = 'job' | 'lab' | 'workspace' | 'snapshot' | 'host' | 'everyHost' | 'thisHost';

/** By what a route is about: the thing that its path names. The table of routes has looked it up, and the user may have it. */
interface Things {
  readonly job: Job;
  readonly lab: Lab;
  readonly workspace: Workspace;
  readonly snapshot: Snapshot;
}

type ThingOf<Of extends About> = Pick<Things, Of & keyof Things>;

/** A request whose parts were checked. */
interface CheckedRequest<Params, Query, Body> {
  /** The table that the route stands in, for those that tell of the others. */
  readonly routes: readonly Route[];
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly req: Request;
  /** For a handler that sends its reply bit by bit. */
  readonly res: Response;
  readonly context: HttpContext;
}

type Input<Params, Query, Body, Of extends About> = CheckedRequest<Params, Query, Body> & ThingOf<Of>;

/** The input of any handler: only the handler itself knows the types of its parts. */
type AnyInput = CheckedRequest<never, never, never> & { readonly [Name in keyof Things]: never };

type Headers = Readonly<Record<string, string>>;

/** The answers of the hosts of a cluster. */
export interface Answers {
  /** Of this one. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly parts: readonly { readonly host: Host; readonly value: Readonly<Record<string, unknown>> }[];
  /** Those that did not answer. */
  readonly missing: readonly Host[];
  readonly cluster: ClusterService;
}

/** The answers of all hosts of a cluster as one, with headers that go with it. */
interface Merged {
  readonly value: unknown;
  readonly headers?: Headers;
}

/** The answer of a handler. */
export type Reply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly value: unknown;
      /** The value as JSON, where it was made before. */
      readonly text?: string;
      readonly headers?: Headers;
      /** The things that the request was about, for the audit log. */
      readonly about?: AuditTarget;
    }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly headers: Headers }
  /** 204. */
  | { readonly kind: 'empty' }
  /** A WebSocket: `serve` is given it once it is open; `abandon` is called when the client has gone before that. */
  | {
      readonly kind: 'websocket';
      readonly serve: (socket: WebSocket) => void;
      readonly abandon: () => void;
    }
  /** The handler has sent it. */
  | { readonly kind: 'sent' };

interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body, Of extends About> {
  readonly method: Method;
  /** Below the base path; `:name` stands for a parameter, `*name` for one that may have slashes in it. */
  readonly path: string;
  /** The permission that its user must have. */
  readonly permission: Permission;
  /**
   * The job, lab, workspace or snapshot that the path names: the table of routes looks it up for the user, and the handler gets it. In a
   * cluster, the host that has it answers; or the `host` that the path names; or every host, whose answers become one; or the host
   * that was asked. With the last two, and with a snapshot, `host` in the query names a single host.
   */
  readonly about: Of;
  /** The permission that the user needs for that thing; by default `change` where `permission` is `operate`, else `read`. */
  readonly needs?: Needs;
  /** The parameter that names the lab; `id` unless it is another one. */
  readonly labParam?: 'instance';
  /** The query may say which lab CLI is meant (`cli`): the handler gets the labs of that one alone. With `lab`, always. */
  readonly isByCli?: true;
  /** With `everyHost`. */
  readonly merge?: (
    answers: Answers,
    input: CheckedRequest<z.output<Params>, z.output<Query>, Body>,
  ) => Merged | Promise<Merged>;
  /**
   * Of a GET: whether the request starts a program, or holds a place until its client goes away. Any page can have a browser send it
   * (`<img src>`), so pages of other sites are refused, as with changes.
   */
  readonly isForOwnSite?: (req: Request) => boolean;
  /** A GET, and yet it changes something: the audit has a line of it. */
  readonly isChange?: true;
  /** Not GET, and yet the audit has no line of it: what it changes comes in as requests of their own. */
  readonly changesNothing?: true;
  readonly tag: keyof typeof tags;
  /** Names the operation in clients that are generated from a description of the API: it never changes. */
  readonly operationId: string;
  /** A few words without a full stop. */
  readonly summary: string;
  /** Sentences, in Markdown: what the reader of the reference has to know to use it. */
  readonly description: string;
  /** When it was deprecated, and when it goes at the earliest: the document and each reply say so. */
  readonly deprecated?: { readonly since: Date; readonly sunset: Date };
  readonly params: Params;
  /** Its method is `get`, and it answers with a WebSocket (RFC 6455); who asks for none is refused before its handler. */
  readonly isWebSocket?: true;
  /**
   * Of a WebSocket: throws what its handler would, and opens nothing. It is for those who ask without wanting one: a script in a
   * browser does not report why a WebSocket was refused; this request does.
   */
  readonly checkOnly?: (input: Input<z.output<Params>, z.output<Query>, Body, Of>) => Promise<void>;
  /** Those that its handler looks at, besides `X-Request-Id`. */
  readonly headers?: readonly RequestHeader[];
  /** Any other parameter is refused, unless this is `ignoredQuery`. */
  readonly query: Query;
  readonly body?: BodySpec<Body>;
  /** A body that the handler reads by itself, piece by piece, of any length (request/upload.ts). */
  readonly upload?: UploadSpec;
  /** By status. */
  readonly replies: Readonly<Record<number, ReplySpec>>;
  /** Its error codes, besides those of all routes (`anyErrors` in openapi/errors.ts). */
  readonly errors?: readonly ErrorCode[];
  readonly handler: (input: Input<z.output<Params>, z.output<Query>, Body, Of>) => Reply | Promise<Reply>;
}

/** A route in a list of routes: only its own handler knows the types of its parts. */
export interface Route extends Omit<
  RouteSpec<z.ZodObject, z.ZodObject, unknown, About>,
  'handler' | 'checkOnly' | 'merge'
> {
  readonly merge?: (answers: Answers, input: AnyInput) => Merged | Promise<Merged>;
  readonly checkOnly?: (input: AnyInput) => Promise<void>;
  readonly handler: (input: AnyInput) => Reply | Promise<Reply>;
}

const cliQuery = z.object({
  cli: z
    .string({ error: 'must be given once' })
    .max(maxCliName, `must not be over ${maxCliName} characters`)
    .optional()
    .describe(
      'Where a server has several lab CLIs: the labs of this one alone, by a name of `labClis` in `GET /`.',
    ),
});

/** Lets the compiler check that the handler fits what the route declares. */
export function defineRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Of extends About,
  Body = undefined,
>(spec: RouteSpec<Params, Query, Body, Of>): Route {
  const isByCli = spec.isByCli === true || spec.about === 'lab';
  return isByCli ? { ...spec, query: spec.query.extend(cliQuery.shape) } : spec;
}

/** The permission that a route needs for the thing that it is about. */
export function neededFor({ needs, permission }: Pick<Route, 'needs' | 'permission'>): Needs {
  return needs ?? (permission === 'operate' ? 'change' : 'read');
}

/** For routes that every host of a cluster answers. */
export const hostQuery = z.object({
  host: z
    .string({ error: 'must be given once' })
    .optional()
    .describe('Of a cluster: what this host alone answers, by its name or its id.'),
});

/** For a path without parameters. */
export const noParams = z.object({});
export const noQuery = z.object({});
/** For probes and people, who may add what they like. */
export const ignoredQuery = z.looseObject({});

/** A reply of a JSON value. */
export function jsonReply(
  description: string,
  schema: z.ZodType,
  headers: readonly ReplyHeader[] = [],
): ReplySpec {
  return { description, content: { 'application/json': schema }, headers };
}

/** The answer to a client that has the reply already. */
export const notModified: ReplySpec = {
  description: 'The reply has not changed: its entity tag is the one in `If-None-Match`.',
  content: {},
  headers: ['ETag', 'Cache-Control'],
};

/** The same where there is no entity tag (RFC 9110, section 13.1.2). */
export const notModifiedOfAny: ReplySpec = {
  description: 'For `If-None-Match: *`, which asks for a reply only if there is none.',
  content: {},
};

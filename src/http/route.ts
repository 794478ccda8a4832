/**
 * A route as data: its method and path, what a request may hold, what it may answer, and its handler. What Express is
 * told (`route-table.ts`) is derived from it, and so is whatever describes the API.
 */
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { HttpContext } from './context.ts';

export type Method = 'get' | 'post' | 'delete';

/** A JSON body. Without one, `parse` is given `undefined`, or `{}` where the client sent `Content-Length: 0`. */
interface BodySpec<Body> {
  readonly schema: z.ZodType;
  /** @throws AppError `invalid-request` that names each wrong field. */
  readonly parse: (body: unknown) => Body;
}

/** A reply with one status. Errors are not declared: any route may answer with a problem document. */
export interface ReplySpec {
  readonly description: string;
  /** By media type: the schema of a JSON value, `bytes` for anything else. Empty for a reply without a body. */
  readonly content: Readonly<Record<string, z.ZodType | 'bytes'>>;
}

/** A request whose parts were checked. */
interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly req: Request;
  /** For a handler that sends its reply bit by bit. */
  readonly res: Response;
  readonly context: HttpContext;
}

type Headers = Readonly<Record<string, string>>;

/** What a handler answers. */
export type Reply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly value: unknown;
      /** The value as JSON, where it was made before. */
      readonly text?: string;
      readonly headers?: Headers;
    }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly headers: Headers }
  /** 204. */
  | { readonly kind: 'empty' }
  /** The handler has sent it. */
  | { readonly kind: 'sent' };

interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Body> {
  readonly method: Method;
  /** Below the base path; `:name` stands for a parameter. */
  readonly path: string;
  /** Names the operation in clients that are generated from a description of the API: it never changes. */
  readonly operationId: string;
  readonly summary: string;
  readonly params: Params;
  /** Any other parameter is refused, unless this is `ignoredQuery`. */
  readonly query: Query;
  readonly body?: BodySpec<Body>;
  /** By status. */
  readonly replies: Readonly<Record<number, ReplySpec>>;
  readonly handler: (input: Input<z.output<Params>, z.output<Query>, Body>) => Reply | Promise<Reply>;
}

/** A route in a list of routes: only its own handler knows the types of its parts. */
export interface Route extends Omit<RouteSpec<z.ZodObject, z.ZodObject, unknown>, 'handler'> {
  readonly handler: (input: Input<never, never, never>) => Reply | Promise<Reply>;
}

/** Lets the compiler check that the handler fits what the route declares. */
export function defineRoute<Params extends z.ZodObject, Query extends z.ZodObject, Body = undefined>(
  spec: RouteSpec<Params, Query, Body>,
): Route {
  return spec;
}

/** For a path without parameters. */
export const noParams = z.object({});
export const noQuery = z.object({});
/** For probes and people, who may add what they like. */
export const ignoredQuery = z.looseObject({});

/** A reply of a JSON value. */
export function jsonReply(description: string, schema: z.ZodType): ReplySpec {
  return { description, content: { 'application/json': schema } };
}

/** The service that this page is of: one client for all that the page asks. */
import { LabApiClient } from '../../../../src/client/lab-api-client.ts';
import { Connection, type RequestOptions } from '../../../../src/client/connection.ts';
import { noteDate } from './clock.ts';

/** The base path of the service, without a slash at its end: the page is at `<base path>/ui/`. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/(?:ui\/)?$/, '');

/** The address of something of the API, for links and downloads. */
export const addressOf = (path: string): string => basePath + path;

const here = {
  url: location.origin + basePath,
  // What it was given, not the method of a window. The service lets its answers be kept for seconds; but this page asks
  // because something has changed in this moment.
  fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
    const reply = await fetch(input, { cache: 'no-cache', ...init });
    noteDate(reply.headers.get('Date'));
    return reply;
  },
};

export const client = new LabApiClient(here);

/** For what the client has no method for, and what is no JSON: parts of a log, streams of bytes. */
export const connection = new Connection(here);

/** What the API answers to a GET; its type is that of the route (`src/client/api-types.ts`). */
export async function getFrom<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await client.request('GET', path, options)) as T;
}

/** Changes something; the type is that of the reply. */
export async function sendTo<T>(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  return (await client.request(method, path, options)) as T;
}

/** Something with the `ETag` that it has now: whoever changes it sends that as `If-Match`. */
export interface Tagged<T> {
  readonly value: T;
  readonly tag: string;
}

/**
 * The tag by which the service knows what it has sent. A proxy that packs replies calls it weak, and the service would take
 * that for another one.
 */
export function tagOf({ headers }: Response): string | undefined {
  return headers.get('ETag')?.replace(/^W\//, '');
}

/** What the API answers, with its `ETag`. */
export async function tagged<T>(
  method: 'GET' | 'PUT',
  path: string,
  options: RequestOptions = {},
): Promise<Tagged<T>> {
  const reply = await connection.send(method, path, options);
  return { value: (await reply.json()) as T, tag: tagOf(reply) ?? '*' };
}

/** What the API answers when that is a file. */
export async function fileFrom(path: string, options: RequestOptions = {}): Promise<Blob> {
  return (await connection.send('GET', path, options)).blob();
}

/** A part of a path: `labPath('a/b', 'topology')` is `/labs/a%2Fb/topology`. */
export function labPath(id: string, ...rest: readonly string[]): string {
  return ['/labs', encodeURIComponent(id), ...rest].join('/');
}

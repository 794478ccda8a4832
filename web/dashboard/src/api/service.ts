/** The client of the service that serves this page. */
import { LabApiClient } from '../../../../src/client/lab-api-client.ts';
import type { Job, JobRequest } from '../../../../src/client/api-types.ts';
import { newKey } from '../../../../src/client/persistently.ts';
import { Connection, type RequestOptions } from '../../../../src/client/connection.ts';
import { noteDate } from './clock.ts';

/** The base path of the service, without a trailing slash: the page is at `<base path>/ui/`. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/(?:ui\/)?$/, '');

/** The URL path of an API path, for links and downloads. */
export const addressOf = (path: string): string => basePath + path;

const here = {
  url: location.origin + basePath,
  // Called as a plain function: `fetch` needs no `this`. The service allows replies to be cached for seconds, but this page fetches
  // because something has just changed.
  fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
    const reply = await fetch(input, { cache: 'no-cache', ...init });
    noteDate(reply.headers.get('Date'));
    return reply;
  },
};

export const client = new LabApiClient(here);

/** How long a new job waits for a service that restarts, in ms. Then the page says that it is offline: a user who waits for nothing leaves. */
const patienceMs = 5_000;

/** Submits a job. A key makes a repeated request the same job. */
export async function submitJob(request: JobRequest, idempotencyKey = newKey()): Promise<Job> {
  return client.startJob(request, { idempotencyKey, patienceMs });
}

/** For data that the client has no method for and that is not JSON: parts of a log, byte streams. */
export const connection = new Connection(here);

/** The reply to a GET request; the type is that of the route (`src/client/api-types.ts`). */
export async function getFrom<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await client.request('GET', path, options)) as T;
}

/** Sends a change; the type is that of the reply. */
export async function sendTo<T>(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  return (await client.request(method, path, options)) as T;
}

/** Sends a DELETE request. */
export async function remove(path: string): Promise<void> {
  await connection.send('DELETE', path);
}

/** A value with its current `ETag`, to be sent as `If-Match` with a change. */
export interface Tagged<T> {
  readonly value: T;
  readonly tag: string;
}

/** The ETag of a reply. A proxy that compresses replies marks it as weak, and the service would not accept that. */
export function tagOf({ headers }: Response): string | undefined {
  return headers.get('ETag')?.replace(/^W\//, '');
}

/** The reply of the API with its `ETag`. */
export async function tagged<T>(
  method: 'GET' | 'PUT',
  path: string,
  options: RequestOptions = {},
): Promise<Tagged<T>> {
  const reply = await connection.send(method, path, options);
  return { value: (await reply.json()) as T, tag: tagOf(reply) ?? '*' };
}

/** A reply of the API that is a file. */
export async function fileFrom(path: string, options: RequestOptions = {}): Promise<Blob> {
  return (await connection.send('GET', path, options)).blob();
}

/** An API path, encoded: `labPath('a/b', 'topology')` is `/labs/a%2Fb/topology`. */
export function labPath(id: string, ...rest: readonly string[]): string {
  return ['/labs', encodeURIComponent(id), ...rest].join('/');
}

/** The API path of the artifacts of a job, or of one of them: `artifactPath('job-1', 'config/r1.cfg')`. */
export function artifactPath(job: string, path?: string): string {
  const parts = path === undefined ? [] : path.split('/').map(encodeURIComponent);
  return ['/jobs', encodeURIComponent(job), 'artifacts', ...parts].join('/');
}

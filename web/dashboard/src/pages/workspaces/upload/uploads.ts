/** The uploads of this window: they continue on other pages, and each can be canceled. */
import { ServiceError, ConnectionError } from '../../../../../../src/client/service-error.ts';
import { fetchAgain, needsLogin } from '../../../api/query-client.ts';
import { Store } from '../../../api/store.ts';
import { filePath, workspacePath } from '../paths.ts';
import type { Problem } from '../../../../../../src/client/api-types.ts';
import { addressOf } from '../../../api/service.ts';

interface Sending {
  readonly path: string;
  readonly body: Blob;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

function problemOf(request: XMLHttpRequest): Partial<Problem> {
  try {
    return (JSON.parse(request.responseText) as Partial<Problem> | null) ?? {};
  } catch {
    return {};
  }
}

/**
 * Sends a file with progress, which fetch does not report and XMLHttpRequest does.
 * @throws ServiceError for a refusal, ConnectionError for a lost connection, or the reason of `signal`.
 */
async function send({ path, body, headers, signal, onProgress }: Sending): Promise<void> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const stop = (): void => request.abort();
  try {
    await new Promise<void>((resolve, reject) => {
      request.open('PUT', addressOf(path));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
      request.addEventListener('load', () =>
        request.status < 400
          ? resolve()
          : reject(new ServiceError(request.status, headersOf(request), problemOf(request))),
      );
      request.addEventListener('error', () =>
        reject(new ConnectionError('the connection was lost before the service answered')),
      );
      request.addEventListener('abort', () => reject(new ConnectionError('the upload was canceled')));
      signal.addEventListener('abort', stop);
      request.send(body);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type UploadState =
  | { readonly kind: 'waiting' | 'sending' | 'done' | 'ended' }
  /** A file with that path exists: the user has to decide whether to replace it. */
  | { readonly kind: 'exists' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Upload {
  readonly id: number;
  readonly workspace: string;
  /** The path in the workspace; undefined for an archive, which replaces all files. */
  readonly path: string | undefined;
  readonly file: File;
  /** The media type of an archive. */
  readonly type: string | undefined;
  readonly sentBytes: number;
  readonly state: UploadState;
}

export const uploads = new Store<readonly Upload[]>([]);

/** More uploads at once are not faster, and browsers have six connections for the whole page. */
const atOnce = 2;

const stops = new Map<number, AbortController>();
/** The uploads that may replace an existing file. */
const mayReplace = new Set<number>();
let lastId = 0;

export const isUnderWay = ({ state }: Upload): boolean =>
  state.kind === 'waiting' || state.kind === 'sending';

function change(id: number, news: Partial<Upload>): void {
  uploads.set(uploads.get().map((upload) => (upload.id === id ? { ...upload, ...news } : upload)));
}

function asState(error: unknown, isEnded: boolean): UploadState {
  if (isEnded) return { kind: 'ended' };
  if (error instanceof ServiceError && error.status === 412) return { kind: 'exists' };
  if (error instanceof ServiceError && error.status === 401) needsLogin.set(true);
  return { kind: 'failed', error };
}

async function run({ id, workspace, path, file, type }: Upload): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  change(id, { state: { kind: 'sending' }, sentBytes: 0 });
  try {
    await send({
      path: path === undefined ? workspacePath(workspace) : filePath(workspace, path),
      body: file,
      headers: {
        'Content-Type': type ?? 'application/octet-stream',
        ...(path !== undefined && !mayReplace.has(id) && { 'If-None-Match': '*' }),
      },
      signal: stop.signal,
      onProgress: (sentBytes) => change(id, { sentBytes }),
    });
    change(id, { state: { kind: 'done' }, sentBytes: file.size });
  } catch (error) {
    change(id, { state: asState(error, stop.signal.aborted) });
  }
  stops.delete(id);
  void fetchAgain(['workspaces'], ['workspace', workspace]);
  begin();
}

function begin(): void {
  const all = uploads.get();
  const free = atOnce - all.filter(({ state }) => state.kind === 'sending').length;
  for (const upload of all.filter(({ state }) => state.kind === 'waiting').slice(0, Math.max(0, free)))
    void run(upload);
}

type NewUpload = Pick<Upload, 'workspace' | 'path' | 'file' | 'type'> & {
  /** Whether the file is known to exist. */
  readonly isThere?: boolean;
};

export function addUploads(added: readonly NewUpload[]): void {
  const fresh = added.map(({ isThere = false, ...rest }): Upload => {
    lastId += 1;
    return { ...rest, id: lastId, sentBytes: 0, state: { kind: isThere ? 'exists' : 'waiting' } };
  });
  uploads.set([...uploads.get(), ...fresh]);
  begin();
}

/** Cancels an active upload; removes any other one from the list. */
export function dropUpload(id: number): void {
  const stop = stops.get(id);
  if (stop) return stop.abort();
  uploads.set(uploads.get().filter((upload) => upload.id !== id));
}

/** Sends the file again; `isReplacing` replaces an existing file. */
export function retryUpload(id: number, isReplacing = false): void {
  if (isReplacing) mayReplace.add(id);
  change(id, { state: { kind: 'waiting' }, sentBytes: 0 });
  begin();
}

export function clearFinished(shown: readonly Upload[]): void {
  const ids = new Set(shown.filter((upload) => !isUnderWay(upload)).map(({ id }) => id));
  uploads.set(uploads.get().filter(({ id }) => !ids.has(id)));
}
